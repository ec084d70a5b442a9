// Tokenizers as Hugging Face describes them in tokenizer.json: a text is rewritten, cut into words, and the words into
// pieces by WordPiece, byte-pair encoding or a unigram model; special pieces are put around. Those of BERT, DistilBERT,
// RoBERTa, GPT-2 and of SentencePiece models that were converted. What a file asks beyond that is refused by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/text/sentencepiece.h"

namespace qkv {

// A text, or two, as a model reads it.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> types;      // the segment that BERT's second embedding tells: 0 or 1
  std::vector<size_t> begin, end;  // of the text that the piece is of, half-open bytes; special pieces have none: 0, 0
  std::vector<int32_t> text;       // which text the piece is of, 0 or 1; -1: put around them
  bool truncated = false;
  size_t size() const { return ids.size(); }
};

class Tokenizer {
 public:
  // `json` is the content of tokenizer.json. Errors: kInvalidFile, kUnsupported (named), kLimitExceeded.
  static Result<Tokenizer> Parse(std::string_view json);
  // What folders without a tokenizer.json have: BERT's vocab.txt, or vocab.json and merges.txt of byte-level BPE.
  // `config` is the content of tokenizer_config.json, or empty. RoBERTa's puts <s> and </s> around a text, GPT-2's
  // nothing.
  static Result<Tokenizer> ParseWordPiece(std::string_view vocabulary, std::string_view config);
  static Result<Tokenizer> ParseByteLevel(std::string_view vocabulary, std::string_view merges, std::string_view config,
                                          bool roberta);

  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // One more than the largest id.
  size_t size() const;
  // A piece as its file writes it: "##ing", "Ġworld"; empty for an id that is none.
  std::string_view Text(int32_t id) const;
  // The id of a piece by its text, or -1.
  int32_t Id(std::string_view piece) const;
  // Special pieces are silent when a text is decoded.
  bool IsSpecial(int32_t id) const;

  // Whether a model can read what Encode says: one with a row for each of `vocabulary` ids, and `positions` for the
  // pieces of a text with the special ones around it, or around two texts. Errors: kInvalidFile.
  Result<void> CheckFits(size_t vocabulary, size_t positions) const;

  // The first `most` of a text's pieces with their spans, nothing put around them. Where a character is several pieces,
  // each has its span. What is behind the last that is wanted is not cut into pieces, and a part of a text between two
  // added pieces is read as far as kLongestText. `cut`, if not null: whether anything was left out.
  std::vector<Piece> Pieces(std::string_view text, size_t most = SIZE_MAX, bool* cut = nullptr) const;

  // With special pieces around, at most `most` in all where that is more than the special ones: what is too long loses
  // the end of its longer text.
  Encoding Encode(std::string_view text, std::optional<std::string_view> second, size_t most) const;

  // Pieces to text; special ones and ids that are none are silent. `spans`, if not null, gets one half-open byte range
  // of the result per id.
  std::string Decode(std::span<const int32_t> ids, std::vector<Piece>* spans = nullptr) const;

  struct Parts;  // core/text/tokenizer_parts.h

 private:
  explicit Tokenizer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace qkv
