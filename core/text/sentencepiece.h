// SentencePiece (Kudo and Richardson 2018): text to pieces and back, from a .spm file as its trainer writes it, with
// the precompiled normaliser inside. Unigram (Kudo 2018) and BPE (Sennrich et al. 2016) models; byte fallback,
// user-defined symbols. Agrees with the reference implementation piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"

namespace qkv {

struct Normalized;
struct Segment;

struct Piece {
  int32_t id = 0;
  // The bytes of the text that the piece stands for, half-open. In encoding: of the input. In decoding: of the output.
  size_t begin = 0, end = 0;
};

class SentencePiece {
 public:
  // `model` is the content of a .spm file; nothing of it is kept. Errors: kInvalidFile, kUnsupported (a character or
  // word model).
  static Result<SentencePiece> Parse(std::span<const uint8_t> model, std::string_view file_name);

  ~SentencePiece();
  SentencePiece(SentencePiece&&) noexcept;
  SentencePiece& operator=(SentencePiece&&) noexcept;

  size_t size() const;
  // The piece as the model writes it, U+2581 for a space: "▁the".
  std::string_view Text(int32_t id) const;
  // The id of a piece by its text, or -1.
  int32_t Id(std::string_view piece) const;
  int32_t unknown_id() const;
  bool IsControl(int32_t id) const;

  // Text (UTF-8, shorter than 512 MiB; an invalid byte counts as U+FFFD) to pieces, whose spans ascend, never inside a
  // code point. Never fails; empty text has no pieces. The first `most` of them are given, and a text is
  // read as far as it becomes kLongestText. `cut`, if not null: whether anything was left out.
  std::vector<Piece> Encode(std::string_view text, size_t most = SIZE_MAX, bool* cut = nullptr) const;
  // The pieces of a cut drawn at random, so that a model learns more than one spelling (subword regularisation). By
  // unigram models with probability proportional to their own to the power of `strength` (0.1 to 0.5 are usual), by BPE
  // models with each pair left out with probability `strength` (0.1 is usual).
  std::vector<Piece> Sample(std::string_view text, float strength, Random& random) const;
  bool is_bpe() const;
  // Pieces to text. Ids outside the vocabulary are refused by the caller; control pieces are silent.
  // `spans`, if not null, gets one half-open byte range of the result per id.
  std::string Decode(std::span<const int32_t> ids, std::vector<Piece>* spans = nullptr) const;

 private:
  struct Model;
  std::vector<Piece> Number(const Normalized& normalized, const std::vector<Segment>& segments) const;
  explicit SentencePiece(std::unique_ptr<Model> model);
  std::unique_ptr<Model> model_;
};

}  // namespace qkv
