// chrF2 (Popovic, "chrF: character n-gram F-score for automatic MT evaluation", 2015, 2016) with one reference, as
// sacreBLEU computes it by default: n-grams of 1 to 6 characters, white space left out, of the whole corpus.
//
//   chrF2 = 100 * 5 P R / (4 P + R)     P, R: precision and recall, each the mean over the orders that both sides have
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qkv {

inline constexpr const char* kChrfSignature = "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no";

// Of one sentence, or of several added up.
struct ChrfCounts {
  std::array<uint64_t, 6> hypothesis{}, reference{}, matches{};  // by order
  ChrfCounts& operator+=(const ChrfCounts& other);
};
// An invalid byte counts as U+FFFD.
ChrfCounts CountChrf(std::string_view hypothesis, std::string_view reference);

// 0 to 100.
double ScoreChrf(const ChrfCounts& counts);

}  // namespace qkv
