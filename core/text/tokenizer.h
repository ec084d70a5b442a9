// Tokenizers as Hugging Face describes them in tokenizer.json: a text is rewritten and cut into words, the words are
// cut into pieces by WordPiece, byte-pair encoding or a unigram model, and special pieces are put around them.
// Supported are the tokenizers of BERT, DistilBERT, RoBERTa, GPT-2 and of converted SentencePiece models. Any other
// feature is refused by name.
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

struct TokenizerParts;  // core/text/tokenizer_parts.h

// One text or two, as a model reads them.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> types;      // for BERT's segment embedding: 0 or 1
  std::vector<size_t> begin, end;  // half-open bytes of the piece's text; 0, 0 for special pieces
  std::vector<int32_t> text;       // the text that the piece belongs to, 0 or 1; -1 for special pieces
  bool truncated = false;
  size_t size() const { return ids.size(); }
};

class Tokenizer {
 public:
  // `json` is the content of tokenizer.json. Errors: kInvalidFile, kUnsupported (named), kLimitExceeded.
  static Result<Tokenizer> Parse(std::string_view json);
  // For folders without a tokenizer.json: BERT's vocab.txt, or vocab.json and merges.txt of byte-level BPE. `config` is
  // the content of tokenizer_config.json, or empty. RoBERTa's tokenizer puts <s> and </s> around a text, GPT-2's puts
  // nothing.
  static Result<Tokenizer> ParseWordPiece(std::string_view vocabulary, std::string_view config);
  static Result<Tokenizer> ParseByteLevel(std::string_view vocabulary, std::string_view merges, std::string_view config,
                                          bool roberta);

  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // One more than the largest id.
  size_t size() const;
  // The text of a piece as in its file: "##ing", "Ġworld"; empty for an unused id.
  std::string_view Text(int32_t id) const;
  // The id of a piece by its text, or -1.
  int32_t Id(std::string_view piece) const;
  // Special pieces have no text when they are decoded.
  bool IsSpecial(int32_t id) const;

  // Checks that a model can read the result of Encode. The model has `vocabulary` rows of pieces, and `positions` for a
  // text, or two texts, with the special pieces. Errors: kInvalidFile.
  Result<void> CheckFits(size_t vocabulary, size_t positions) const;

  // The first `most` pieces of a text with their spans, without special pieces. If a character has several pieces, each
  // has the span of the character. The rest of the text is not cut into pieces. A part between two added pieces is read
  // as far as kLongestText. Sets `cut`, if not null, to whether anything was left out.
  std::vector<Piece> Pieces(std::string_view text, size_t most = SIZE_MAX, bool* cut = nullptr) const;

  // Pieces with the special pieces around them: at most `most` in all, but never fewer than the special pieces. Of two
  // texts that are too long together, the longer one is cut first.
  Encoding Encode(std::string_view text, std::optional<std::string_view> second, size_t most) const;

  // Turns pieces into text. Special pieces and unused ids have none. `spans`, if not null, gets one half-open byte
  // range of the result for each id.
  std::string Decode(std::span<const int32_t> ids, std::vector<Piece>* spans = nullptr) const;

 private:
  explicit Tokenizer(std::unique_ptr<TokenizerParts> parts);
  std::unique_ptr<TokenizerParts> parts_;
};

}  // namespace qkv
