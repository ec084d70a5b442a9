// The pieces of a SentencePiece model: their texts in one block, and tries for finding them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/spm_file.h"
#include "core/text/trie.h"

namespace qkv {

class Vocabulary {
 public:
  // Takes the pieces out of `spm`. Errors: kInvalidFile if a piece occurs twice, if there is not exactly one unknown
  // piece, or if the byte pieces do not match the option byte fallback.
  static Result<Vocabulary> Build(SpmFile& spm, std::string_view file_name);

  size_t size() const { return types_.size(); }
  std::string_view Text(int32_t id) const;
  float Score(int32_t id) const { return scores_[static_cast<size_t>(id)]; }
  PieceType Type(int32_t id) const { return types_[static_cast<size_t>(id)]; }

  int32_t unknown_id() const { return unknown_id_; }
  bool byte_fallback() const { return byte_fallback_; }
  // The piece "<0x41>" of a byte; with byte fallback only.
  int32_t ByteId(uint8_t byte) const { return byte_ids_[byte]; }
  // The byte of a piece of type kByte.
  uint8_t Byte(int32_t id) const;

  // Whether text may be cut into this piece. Control, unknown and byte pieces do not count: their texts are only names.
  bool StandsForText(int32_t id) const {
    const PieceType type = Type(id);
    return type == PieceType::kNormal || type == PieceType::kUserDefined || type == PieceType::kUnused;
  }

  const Trie& pieces() const { return pieces_; }
  // The user-defined pieces: never normalised, never split.
  const Trie& user_defined() const { return user_defined_; }
  // The id of a piece, or -1.
  int32_t Find(std::string_view text) const { return pieces_.Find(text); }

 private:
  Result<void> BuildTries(std::string_view where);
  Result<void> FindSpecial(std::string_view where);

  std::string text_;
  std::vector<uint32_t> ends_;
  std::vector<float> scores_;
  std::vector<PieceType> types_;
  Trie pieces_, user_defined_;
  int32_t unknown_id_ = -1;
  bool byte_fallback_ = false;
  std::array<int32_t, 256> byte_ids_{};
};

}  // namespace qkv
