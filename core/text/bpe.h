// Byte-pair encoding (Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword units", 2016):
// start from single characters, and repeatedly join the adjacent pair whose union is the piece with the greatest score.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/text/segment.h"
#include "core/text/vocabulary.h"

namespace qkv {

// Takes O(n log n) for a text of length n, times the length of the longest piece. Of equal pairs the left one is
// joined.
std::vector<Segment> CutByPairs(std::string_view normalized, const Vocabulary& vocabulary);

// The same with BPE-dropout (Provilkov, Emelianenko and Voita 2020): at each step, every pair is left out with
// probability `dropout`; it ends when no remaining pair can be joined. 1 gives single characters.
std::vector<Segment> CutByPairs(std::string_view normalized, const Vocabulary& vocabulary, float dropout,
                                Random& random);

}  // namespace qkv
