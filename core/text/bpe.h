// Byte-pair encoding (Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword units", 2016):
// from single characters, the adjacent pair whose union is the piece of the greatest score is joined, again and again.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/text/segment.h"
#include "core/text/vocabulary.h"

namespace qkv {

// n log n in the text's length n, times the longest piece. Ties go to the pair on the left.
std::vector<Segment> CutByPairs(std::string_view normalized, const Vocabulary& vocabulary);

// The same with BPE-dropout (Provilkov, Emelianenko and Voita 2020): at each step, every pair is left out with
// probability `dropout`; it ends when nothing that is left can be joined. 1 gives single characters.
std::vector<Segment> CutByPairs(std::string_view normalized, const Vocabulary& vocabulary, float dropout,
                                Random& random);

}  // namespace qkv
