// WordPiece (Schuster and Nakajima 2012, as BERT cuts): from left to right the longest piece that fits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/segment.h"
#include "core/text/trie.h"

namespace qkv {

struct WordPiece {
  std::string continuing = "##";  // begins the pieces that do not begin a word
  int32_t unknown = 0;
  size_t longest = 100;  // characters of a word that is cut; a longer one is unknown

  // `pieces` is the vocabulary, by text. One unknown piece where a word cannot be cut as a whole.
  std::vector<Segment> Cut(std::string_view word, const Trie& pieces) const;
};

}  // namespace qkv
