// The n-grams that a language detector knows: the rows of its embedding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/detect/letters.h"

namespace qkv {

// Row 0 belongs to no n-gram: it is read before those of a text.
inline constexpr int32_t kNoGram = 0;

class GramList {
 public:
  // The content of ngrams.txt: an n-gram a line, with a space for an edge of a word, or a block as U+0400, its first
  // code point. Line i is row i, counted from 1. Errors: kInvalidFile with the line's number.
  static Result<GramList> Parse(std::string_view text);

  size_t rows() const { return size_ + 1; }
  // The row of the n-gram with this hash, or kNoGram.
  int32_t Find(uint32_t hash) const {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      if (places_[at].row == kNoGram || places_[at].hash == hash) return places_[at].row;
    }
  }

 private:
  struct Place {
    uint32_t hash = 0;
    int32_t row = kNoGram;
  };
  bool Insert(uint32_t hash, int32_t row);

  std::vector<Place> places_;  // a hash table with open addressing, at most half full
  size_t mask_ = 0, size_ = 0;
};

// A row and the letters that it was found at: [first, first + count).
struct GramRow {
  int32_t row;
  uint32_t first, count;
};

// The rows of a text's n-grams, kNoGram first. A letter that is not in the list counts as its block.
std::vector<GramRow> GramRowsOf(const GramList& list, const std::vector<Letter>& letters);

}  // namespace qkv
