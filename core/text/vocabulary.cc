#include "core/text/vocabulary.h"

#include <utility>

#include "core/base/budget.h"

namespace qkv {
namespace {

Error Invalid(std::string message, std::string_view where) {
  return {ErrorCode::kInvalidFile, std::move(message), std::string(where)};
}

// The value of an upper-case hexadecimal digit, or -1.
int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The byte that "<0x41>" names, or -1.
int ParseByte(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  const int high = HexDigit(piece[3]), low = HexDigit(piece[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace

Result<Vocabulary> Vocabulary::Build(SpmFile& spm, std::string_view file_name) {
  Vocabulary vocabulary;
  vocabulary.text_ = std::move(spm.piece_text);
  vocabulary.ends_ = std::move(spm.piece_ends);
  vocabulary.scores_ = std::move(spm.scores);
  vocabulary.types_ = std::move(spm.types);
  vocabulary.byte_fallback_ = spm.byte_fallback;
  vocabulary.text_.shrink_to_fit();
  vocabulary.ends_.shrink_to_fit();
  vocabulary.scores_.shrink_to_fit();
  vocabulary.types_.shrink_to_fit();

  const std::string where = std::string(file_name) + ", pieces";
  QKV_CHECK(vocabulary.BuildTries(where));
  QKV_CHECK(vocabulary.FindSpecial(where));
  return vocabulary;
}

Result<void> Vocabulary::BuildTries(std::string_view where) {
  std::vector<Trie::Entry> pieces, user_defined;
  QKV_CHECK(CheckMemory(4 * size() * sizeof(Trie::Entry), kTooLarge, where));  // for both tries; one list grows
  pieces.reserve(size());
  bool some_text = false;
  for (int32_t id = 0; id < static_cast<int32_t>(size()); ++id) {
    pieces.push_back({Text(id), id});
    if (Type(id) == PieceType::kUserDefined) user_defined.push_back({Text(id), id});
    some_text |= StandsForText(id);
  }
  if (!some_text) return Invalid("no piece stands for text", where);
  QKV_TRY(pieces_, Trie::Build(std::move(pieces), where));
  QKV_TRY(user_defined_, Trie::Build(std::move(user_defined), where));
  return {};
}

Result<void> Vocabulary::FindSpecial(std::string_view where) {
  size_t bytes = 0;
  for (int32_t id = 0; id < static_cast<int32_t>(size()); ++id) {
    if (Type(id) == PieceType::kUnknown) {
      if (unknown_id_ >= 0) return Invalid("there are two unknown pieces", where);
      unknown_id_ = id;
    }
    if (Type(id) != PieceType::kByte) continue;
    const int byte = ParseByte(Text(id));
    if (byte < 0) return Invalid("piece " + std::to_string(id) + " names no byte", where);
    if (!byte_fallback_) return Invalid("there are byte pieces without byte_fallback", where);
    byte_ids_[static_cast<size_t>(byte)] = id;
    ++bytes;  // each byte counts once: the trie refuses equal texts
  }
  if (unknown_id_ < 0) return Invalid("there is no unknown piece", where);
  if (byte_fallback_ && bytes != 256) return Invalid("byte_fallback without 256 byte pieces", where);
  return {};
}

std::string_view Vocabulary::Text(int32_t id) const {
  const auto i = static_cast<size_t>(id);
  const size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(begin, ends_[i] - begin);
}

uint8_t Vocabulary::Byte(int32_t id) const { return static_cast<uint8_t>(ParseByte(Text(id))); }

}  // namespace qkv
