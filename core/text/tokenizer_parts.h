// The parts of a tokenizer: the readers of its files fill them in, and core/text/tokenizer.cc runs them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/text/pair_merges.h"
#include "core/text/rewrite.h"
#include "core/text/trie.h"
#include "core/text/unigram.h"
#include "core/text/vocabulary.h"
#include "core/text/wordpiece.h"

namespace qkv {

// How a text is cut into words: its "pre_tokenizer", a list of steps.
struct WordStep {
  enum class Kind {
    kBert,        // white space is dropped, each punctuation mark is a word
    kWhitespace,  // white space is dropped
    kByteLevel,   // GPT-2's words, as bytes
    kMetaspace,   // spaces become `space`, and begin words
  };
  enum class Prefix { kNever, kFirst, kAlways };  // where a space is added: nowhere, before a text, before each part

  Kind kind = Kind::kBert;
  Prefix prefix = Prefix::kNever;
  bool split = true;  // false: the text is one word
  std::string space = {};
};

// Byte-pair encoding. The pieces before any merge are a word's characters or its bytes.
struct Pairs {
  PairMerges merges;
  bool byte_level = false;
  std::array<int32_t, 256> bytes{};  // the piece of each byte, or -1
  int32_t unknown = -1;              // the piece for an unknown character; -1: the character is dropped
  bool fuse_unknown = false;         // adjacent unknown characters become one piece
};

// A piece that is found in a text before the text is cut into words.
struct AddedPiece {
  std::string content;
  int32_t id = 0;
  bool takes_left = false, takes_right = false;  // it takes the white space on that side
};

// An item of a template: a special piece, or the place of a text.
struct TemplateItem {
  int32_t id = -1;   // the special piece; -1: a text
  int32_t text = 0;  // which text
  int32_t type = 0;
};

struct TokenizerParts {
  struct Decoding {
    enum class Kind { kSpaces, kWordPiece, kByteLevel, kMetaspace };
    Kind kind = Kind::kSpaces;  // kSpaces: pieces with spaces between them
    std::string mark = {};      // the prefix of pieces that continue a word, or the character for a space
    bool clean_up = false;      // removes the space before punctuation
    bool strips_first = false;  // removes the space before the first word
  };
  // Added pieces by their text.
  struct Added {
    std::vector<AddedPiece> pieces;
    Trie trie;
  };

  // Adds a piece. Errors: kInvalidFile for an id over the limit, or an id with two texts.
  Result<void> AddPiece(std::string_view text, int64_t id, bool special, std::string_view where);
  // To be called when all pieces are added.
  Result<void> BuildTrie(std::string_view where);
  Result<void> BuildAdded(std::vector<AddedPiece> found, Added& to, std::string_view where);
  // Appends the merge of two pieces to `list`. Errors: kInvalidFile if one of them, or their union, is not a piece.
  Result<void> AddMerge(std::string_view left, std::string_view right, std::vector<PairMerges::Merge>& list,
                        const char* file);
  // Finds whether BPE begins with bytes, and the piece of each byte.
  void FindBytes(Pairs& pairs) const;
  // Sets the templates [CLS] A [SEP] and [CLS] A [SEP] B [SEP], or RoBERTa's <s> A </s> and <s> A </s></s> B </s>.
  void SetTemplates(int32_t first, int32_t last, bool roberta);
  std::string_view Text(int32_t id) const {
    const Span& span = spans[static_cast<size_t>(id)];
    return std::string_view(texts).substr(span.begin, span.length);
  }

  struct Span {
    uint32_t begin = 0, length = 0;
  };
  std::string texts;
  std::vector<Span> spans;       // by id
  std::vector<uint8_t> special;  // flags; std::vector<bool> would need more code
  Trie pieces;

  std::vector<RewriteStep> rewriting;
  std::vector<WordStep> words;
  std::variant<WordPiece, Pairs, std::unique_ptr<std::pair<Vocabulary, Unigram>>> model;
  Added raw, rewritten;  // added pieces that are found before the text is rewritten, and after
  std::vector<TemplateItem> single = {{-1, 0, 0}}, pair = {{-1, 0, 0}, {-1, 1, 1}};
  bool trims = false;       // spans do not include the white space at the ends of pieces
  bool trims_first = true;  // this holds for the first piece too
  Decoding decoding;
};

inline constexpr int64_t kMostPieces = int64_t{1} << 22;
inline constexpr size_t kLongestPiece = 1024;  // bytes; also the limit for replacements

}  // namespace qkv
