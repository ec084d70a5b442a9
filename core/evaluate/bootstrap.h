// Paired bootstrap resampling (Koehn, "Statistical significance tests for machine translation evaluation", 2004): the
// confidence interval of a corpus score, and whether the difference between two systems is significant.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/base/random.h"

namespace qkv {

// `samples` times all sentences drawn with replacement; the same draws for every system.
inline std::vector<std::vector<uint32_t>> DrawSamples(size_t sentences, size_t samples, uint64_t seed) {
  std::vector<std::vector<uint32_t>> drawn(samples, std::vector<uint32_t>(sentences));
  for (size_t i = 0; i < samples; ++i) {
    Random random(seed, i);
    for (uint32_t& sentence : drawn[i]) sentence = static_cast<uint32_t>((uint64_t{random.Next()} * sentences) >> 32);
  }
  return drawn;
}

// The score of each sample. `counts`: of each sentence; `score` takes their sum.
template <class Counts, class Score>
std::vector<double> ScoreSamples(const std::vector<Counts>& counts, const std::vector<std::vector<uint32_t>>& samples,
                                 Score score) {
  std::vector<double> scores;
  scores.reserve(samples.size());
  for (const std::vector<uint32_t>& sample : samples) {
    Counts sum;
    for (const uint32_t sentence : sample) sum += counts[sentence];
    scores.push_back(score(sum));
  }
  return scores;
}

// Half of the interval that holds 95 of 100 samples.
inline double ConfidenceInterval(std::vector<double> scores) {
  if (scores.empty()) return 0;
  std::sort(scores.begin(), scores.end());
  const size_t outside = scores.size() / 40;
  return 0.5 * (scores[scores.size() - 1 - outside] - scores[outside]);
}

struct PairedComparison {
  double better = 0;  // share of the samples in which the system's score is greater than the baseline's; a draw is half
  double p_value = 1;  // the probability of such a difference by chance
};

// `difference`: between the scores of the whole corpus. The p-value is that of sacreBLEU and Moses, (c + 1) / (n + 1),
// where c counts the samples whose difference exceeds the mean difference by at least that.
inline PairedComparison Compare(const std::vector<double>& baseline, const std::vector<double>& system,
                                double difference) {
  const size_t count = baseline.size();
  if (count == 0) return {};
  double mean = 0, better = 0;
  for (size_t i = 0; i < count; ++i) {
    mean += std::abs(system[i] - baseline[i]) / static_cast<double>(count);
    better += system[i] > baseline[i] ? 1 : system[i] == baseline[i] ? 0.5 : 0;
  }
  size_t larger = 0;
  for (size_t i = 0; i < count; ++i) {
    larger += std::abs(system[i] - baseline[i]) - mean > std::abs(difference) ? 1 : 0;
  }
  // Equal systems: the p-value is 1.
  const double p = difference == 0 ? 1 : static_cast<double>(larger + 1) / static_cast<double>(count + 1);
  return {better / static_cast<double>(count), p};
}

}  // namespace qkv
