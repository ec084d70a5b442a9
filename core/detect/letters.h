// What the language detector reads of a text: its letters in lower case, and the n-grams of its words as hashes.
// web/lib/detect/letters.js computes the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace qkv {

// The code point of a letter or mark, or kEdge; and the bytes of the text that it came from.
struct Letter {
  uint32_t code_point;
  uint32_t begin, end;
};

// Stands before, between and after words. A word is a run of letters and marks (Unicode L and M).
inline constexpr uint32_t kEdge = ' ';
// Texts are read up to this many letters.
inline constexpr size_t kMostLetters = 2000;
// The longest n-gram, edges included.
inline constexpr size_t kLongestGram = 8;

// Empty where there are no letters; else it begins and ends with kEdge. An invalid byte is no letter.
std::vector<Letter> ReadLetters(std::string_view text, size_t most = kMostLetters);

// A hash of 24 bits: FNV-1a over code points, then the finaliser of MurmurHash3 (Appleby 2016).
class GramHash {
 public:
  void Add(uint32_t code_point) { state_ = (state_ ^ code_point) * 16777619u; }
  uint32_t Value() const {
    uint32_t h = state_;
    h = (h ^ (h >> 16)) * 0x85EBCA6Bu;
    h = (h ^ (h >> 13)) * 0xC2B2AE35u;
    return (h ^ (h >> 16)) >> 8;
  }

 private:
  uint32_t state_ = 2166136261u;
};

// The block of a letter: 128 code points up to U+3000, and 4096 from there on. It hashes like an n-gram of one code
// point that Unicode does not have.
inline uint32_t BlockOf(uint32_t code_point) {
  return code_point < 0x3000 ? code_point >> 7 : 0x1000 + (code_point >> 12);
}
inline constexpr uint32_t kBlocks = 0x110000;
inline uint32_t HashOfBlock(uint32_t block) {
  GramHash hash;
  hash.Add(kBlocks + block);
  return hash.Value();
}

// Calls take(hash, first, count) for each n-gram of `letters`: each letter alone, and each run of 2 to kLongestGram
// letters of a word with its edges.
template <class Take>
void ForEachGram(const std::vector<Letter>& letters, const Take& take) {
  for (size_t first = 0; first < letters.size(); ++first) {
    GramHash hash;
    const size_t last = letters.size() - first < kLongestGram ? letters.size() - first : kLongestGram;
    for (size_t count = 1; count <= last; ++count) {
      const uint32_t code_point = letters[first + count - 1].code_point;
      hash.Add(code_point);
      if (count > 1 || code_point != kEdge) take(hash.Value(), first, count);
      if (count > 1 && code_point == kEdge) break;
    }
  }
}

}  // namespace qkv
