// WordPiece (Schuster and Nakajima 2012, as BERT cuts): cuts a word from left to right, each time at the longest piece
// that matches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/segment.h"
#include "core/text/trie.h"

namespace qkv {

struct WordPiece {
  std::string continuing = "##";  // the prefix of pieces that do not begin a word
  int32_t unknown = 0;
  size_t longest = 100;  // characters; a longer word is unknown

  // `pieces` is the vocabulary by text. A word that cannot be cut as a whole is one unknown piece.
  std::vector<Segment> Cut(std::string_view word, const Trie& pieces) const;
};

}  // namespace qkv
