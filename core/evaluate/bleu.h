// BLEU (Papineni et al. 2002) with one reference, as sacreBLEU computes it by default: 13a words, n-grams up to 4 of
// the whole corpus, and where an order has no match the counts of mteval ("exp": 1/2, 1/4, ... of a match).
//
//   BLEU = min(1, exp(1 - r / h)) exp(sum_n log p_n / 4)     p_n = n-grams found in the reference / n-grams
//
// r and h are the words of the references and of the hypotheses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace qkv {

inline constexpr const char* kBleuSignature = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp";

// Of one sentence, or of several added up.
struct BleuCounts {
  std::array<uint64_t, 4> matches{}, totals{};  // by order
  uint64_t hypothesis_words = 0, reference_words = 0;
  BleuCounts& operator+=(const BleuCounts& other);
};
BleuCounts CountBleu(std::string_view hypothesis, std::string_view reference);

struct BleuScore {
  double score = 0;  // 0 to 100
  std::array<double, 4> precisions{};
  double brevity_penalty = 1;
};
BleuScore ScoreBleu(const BleuCounts& counts);
// "26.13 57.6/33.0/21.4/14.2 (BP = 1.000 ratio = 1.010 hyp_len = 101 ref_len = 100)"
std::string ToString(const BleuScore& score, const BleuCounts& counts);

}  // namespace qkv
