#include "core/evaluate/chrf.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/evaluate/words.h"
#include "core/text/utf.h"

namespace qkv {
namespace {

constexpr size_t kOrders = 6;
constexpr double kBetaSquared = 4;

// The characters of a text without its white space, and where each begins.
struct Characters {
  explicit Characters(std::string_view original) {
    const std::string valid = ToValidUtf8(original);
    for (const std::string_view part : SplitAtSpaces(valid)) text += part;
    for (size_t at = 0; at < text.size(); at += Utf8Length(std::string_view(text).substr(at))) begins.push_back(at);
    begins.push_back(text.size());
  }
  size_t size() const { return begins.size() - 1; }
  std::unordered_map<std::string_view, uint64_t> NGrams(size_t n) const {
    std::unordered_map<std::string_view, uint64_t> counts;
    for (size_t i = 0; i + n <= size(); ++i) {
      ++counts[std::string_view(text).substr(begins[i], begins[i + n] - begins[i])];
    }
    return counts;
  }

  std::string text;
  std::vector<size_t> begins;  // and the end
};

}  // namespace

ChrfCounts& ChrfCounts::operator+=(const ChrfCounts& other) {
  for (size_t n = 0; n < kOrders; ++n) {
    hypothesis[n] += other.hypothesis[n];
    reference[n] += other.reference[n];
    matches[n] += other.matches[n];
  }
  return *this;
}

ChrfCounts CountChrf(std::string_view hypothesis, std::string_view reference) {
  const Characters found(hypothesis), wanted(reference);
  ChrfCounts counts;
  for (size_t n = 1; n <= kOrders; ++n) {
    if (wanted.size() < n) break;  // then the hypothesis's n-grams are not counted either
    counts.reference[n - 1] = wanted.size() - n + 1;
    counts.hypothesis[n - 1] = found.size() < n ? 0 : found.size() - n + 1;
    const auto wanted_ngrams = wanted.NGrams(n);
    for (const auto& [ngram, count] : found.NGrams(n)) {
      const auto same = wanted_ngrams.find(ngram);
      if (same != wanted_ngrams.end()) counts.matches[n - 1] += std::min(count, same->second);
    }
  }
  return counts;
}

double ScoreChrf(const ChrfCounts& counts) {
  double precision = 0, recall = 0, orders = 0;
  for (size_t n = 0; n < kOrders; ++n) {
    if (counts.hypothesis[n] == 0 || counts.reference[n] == 0) continue;
    precision += static_cast<double>(counts.matches[n]) / static_cast<double>(counts.hypothesis[n]);
    recall += static_cast<double>(counts.matches[n]) / static_cast<double>(counts.reference[n]);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  precision /= orders;
  recall /= orders;
  return 100 * (1 + kBetaSquared) * precision * recall / (kBetaSquared * precision + recall);
}

}  // namespace qkv
