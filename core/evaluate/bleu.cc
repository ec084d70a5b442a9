#include "core/evaluate/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <vector>

#include "core/evaluate/words.h"

namespace qkv {
namespace {

constexpr size_t kOrders = 4;

// The n-grams of a tokenised line, by order. Words are separated by one space, so an n-gram is a substring.
class NGrams {
 public:
  explicit NGrams(std::string_view line) {
    std::vector<size_t> begins, ends;
    for (size_t at = 0; at < line.size(); at = ends.back() + 1) {
      begins.push_back(at);
      ends.push_back(std::min(line.find(' ', at), line.size()));
    }
    words_ = begins.size();
    for (size_t n = 0; n < kOrders; ++n) {
      for (size_t i = 0; i + n < words_; ++i) ++counts_[n][line.substr(begins[i], ends[i + n] - begins[i])];
    }
  }

  size_t words() const { return words_; }
  const std::unordered_map<std::string_view, uint64_t>& operator[](size_t n) const { return counts_[n]; }

 private:
  size_t words_ = 0;
  std::array<std::unordered_map<std::string_view, uint64_t>, kOrders> counts_;
};

}  // namespace

BleuCounts& BleuCounts::operator+=(const BleuCounts& other) {
  for (size_t n = 0; n < kOrders; ++n) {
    matches[n] += other.matches[n];
    totals[n] += other.totals[n];
  }
  hypothesis_words += other.hypothesis_words;
  reference_words += other.reference_words;
  return *this;
}

BleuCounts CountBleu(std::string_view hypothesis, std::string_view reference) {
  const std::string hypothesis_line = Tokenize13a(hypothesis), reference_line = Tokenize13a(reference);
  const NGrams found(hypothesis_line), wanted(reference_line);
  // The matches of an n-gram are clipped: at most as many as the reference has (Papineni et al. 2002).
  BleuCounts counts;
  counts.hypothesis_words = found.words();
  counts.reference_words = wanted.words();
  for (size_t n = 0; n < kOrders; ++n) {
    for (const auto& [ngram, count] : found[n]) {
      counts.totals[n] += count;
      const auto same = wanted[n].find(ngram);
      if (same != wanted[n].end()) counts.matches[n] += std::min(count, same->second);
    }
  }
  return counts;
}

BleuScore ScoreBleu(const BleuCounts& counts) {
  // exp(1 - r / h) if the hypotheses are shorter than the references.
  const auto hypothesis = static_cast<double>(counts.hypothesis_words);
  const auto reference = static_cast<double>(counts.reference_words);
  BleuScore score;
  if (hypothesis < reference) score.brevity_penalty = hypothesis > 0 ? std::exp(1 - reference / hypothesis) : 0;
  if (counts.matches == decltype(counts.matches){}) return score;
  // The geometric mean of the precisions. Orders without a match are smoothed by 1/2, 1/4, ... as in sacreBLEU ("exp").
  double sum = 0, smoothed = 1;
  for (size_t n = 0; n < kOrders; ++n) {
    if (counts.totals[n] == 0) return score;  // no hypothesis has so many words
    const auto total = static_cast<double>(counts.totals[n]);
    if (counts.matches[n] == 0) smoothed /= 2;
    score.precisions[n] = 100 * (counts.matches[n] == 0 ? smoothed : static_cast<double>(counts.matches[n])) / total;
    sum += std::log(score.precisions[n]);
  }
  score.score = score.brevity_penalty * std::exp(sum / kOrders);
  return score;
}

std::string ToString(const BleuScore& score, const BleuCounts& counts) {
  const double ratio = counts.reference_words == 0
                           ? 0
                           : static_cast<double>(counts.hypothesis_words) / static_cast<double>(counts.reference_words);
  char text[256];
  std::snprintf(text, sizeof text, "%.2f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %llu ref_len = %llu)",
                score.score, score.precisions[0], score.precisions[1], score.precisions[2], score.precisions[3],
                score.brevity_penalty, ratio, static_cast<unsigned long long>(counts.hypothesis_words),
                static_cast<unsigned long long>(counts.reference_words));
  return text;
}

}  // namespace qkv
