// What a tokenizer is made of, between the files that say it and the code that runs it.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "core/text/pair_merges.h"
#include "core/text/rewrite.h"
#include "core/text/tokenizer.h"
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
  enum class Prefix { kNever, kFirst, kAlways };  // a space before: nowhere, the text, each part of it

  Kind kind = Kind::kBert;
  Prefix prefix = Prefix::kNever;
  bool split = true;  // false: the text is one word
  std::string space = {};
};

// BPE's pieces before any merge: a word's characters, or its bytes.
struct Pairs {
  PairMerges merges;
  bool byte_level = false;
  std::array<int32_t, 256> bytes{};  // the piece of each byte, or -1
  int32_t unknown = -1;              // of a character that is no piece; -1: it is dropped
  bool fuse_unknown = false;         // unknown neighbours are one piece
};

// A piece that is found in a text before all else.
struct AddedPiece {
  std::string content;
  int32_t id = 0;
  bool takes_left = false, takes_right = false;  // with the white space beside it
};

// What stands around texts: a special piece, or a text's own pieces.
struct TemplateItem {
  int32_t id = -1;   // of the special piece
  int32_t text = 0;  // else which of the texts
  int32_t type = 0;
};

struct Tokenizer::Parts {
  struct Decoding {
    enum class Kind { kSpaces, kWordPiece, kByteLevel, kMetaspace };
    Kind kind = Kind::kSpaces;  // kSpaces: pieces with spaces between them
    std::string mark = {};      // what continues a word; what stands for a space
    bool clean_up = false;      // no space before punctuation
    bool strips_first = false;  // the space before the first word
  };
  // Added pieces by their text.
  struct Added {
    std::vector<AddedPiece> pieces;
    Trie trie;
  };

  // A piece's text, and whether it is special. Errors: kInvalidFile for an id over the limit, or one with two texts.
  Result<void> AddPiece(std::string_view text, int64_t id, bool special, std::string_view where);
  // Once all pieces are there.
  Result<void> BuildTrie(std::string_view where);
  Result<void> BuildAdded(std::vector<AddedPiece> found, Added& to, std::string_view where);
  // Appends the merge of two pieces into one that is a piece too. Errors: kInvalidFile where one is none.
  Result<void> AddMerge(std::string_view left, std::string_view right, std::vector<PairMerges::Merge>& list,
                        const char* file);
  // Whether BPE begins with bytes, and which piece each one is.
  void FindBytes(Pairs& pairs) const;
  // [CLS] A [SEP], [CLS] A [SEP] B [SEP]; RoBERTa's <s> A </s>, <s> A </s></s> B </s>.
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
  std::vector<uint8_t> special;  // flags: bits would be more code
  Trie pieces;

  std::vector<RewriteStep> rewriting;
  std::vector<WordStep> words;
  std::variant<WordPiece, Pairs, std::unique_ptr<std::pair<Vocabulary, Unigram>>> model;
  Added raw, rewritten;  // found before rewriting, and after
  std::vector<TemplateItem> single = {{-1, 0, 0}}, pair = {{-1, 0, 0}, {-1, 1, 1}};
  bool trims = false;       // spans leave the white space at their pieces' ends out
  bool trims_first = true;  // also that of the first piece
  Decoding decoding;
};

inline constexpr int64_t kMostPieces = int64_t{1} << 22;
inline constexpr size_t kLongestPiece = 1024;  // bytes; also of what replaces something

}  // namespace qkv
