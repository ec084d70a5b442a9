// SentencePiece (Kudo and Richardson 2018): converts text to pieces and back. It reads a .spm file as the trainer
// writes it, with the precompiled normaliser inside. Unigram (Kudo 2018) and BPE (Sennrich et al. 2016) models; byte
// fallback and user-defined symbols. Its pieces are those of the reference implementation.
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
  // The bytes that the piece stands for, half-open: of the input when encoding, of the output when decoding.
  size_t begin = 0, end = 0;
};

class SentencePiece {
 public:
  // `model` is the content of a .spm file. No reference to it is kept. Errors: kInvalidFile, kUnsupported (a character
  // or word model).
  static Result<SentencePiece> Parse(std::span<const uint8_t> model, std::string_view file_name);

  ~SentencePiece();
  SentencePiece(SentencePiece&&) noexcept;
  SentencePiece& operator=(SentencePiece&&) noexcept;

  size_t size() const;
  // The text of a piece, with U+2581 for a space: "▁the".
  std::string_view Text(int32_t id) const;
  // The id of a piece by its text, or -1.
  int32_t Id(std::string_view piece) const;
  int32_t unknown_id() const;
  bool IsControl(int32_t id) const;

  // Cuts a text into pieces. The text is UTF-8 and shorter than 512 MiB; an invalid byte counts as U+FFFD. Spans ascend
  // and are never inside a code point. Never fails; an empty text has no pieces. Returns the first `most` pieces; a
  // text is read until its normalised form is kLongestText long. Sets `cut`, if not null, to whether anything was left
  // out.
  std::vector<Piece> Encode(std::string_view text, size_t most = SIZE_MAX, bool* cut = nullptr) const;
  // Cuts a text at random, so that a model learns more than one spelling (subword regularisation). A unigram model
  // draws a cut with probability proportional to its own probability to the power of `strength` (0.1 to 0.5 are usual).
  // A BPE model leaves out each pair with probability `strength` (0.1 is usual).
  std::vector<Piece> Sample(std::string_view text, float strength, Random& random) const;
  bool is_bpe() const;
  // Turns pieces into text. The caller checks that ids are in the vocabulary. Control pieces have no text. `spans`, if
  // not null, gets one half-open byte range of the result for each id.
  std::string Decode(std::span<const int32_t> ids, std::vector<Piece>* spans = nullptr) const;

 private:
  struct Model;
  std::vector<Piece> Number(const Normalized& normalized, const std::vector<Segment>& segments) const;
  explicit SentencePiece(std::unique_ptr<Model> model);
  std::unique_ptr<Model> model_;
};

}  // namespace qkv
