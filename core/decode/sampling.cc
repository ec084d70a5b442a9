#include "core/decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/sort.h"

namespace qkv {

int32_t Sampler::Choose(std::span<float> logits, std::span<const int32_t> history) {
  // The likeliest piece, which is also the answer at temperature 0. Infinity and NaN are never chosen.
  Penalise(logits, history);
  candidates_.clear();
  float most = -std::numeric_limits<float>::infinity();
  int32_t likeliest = -1;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (!(logits[id] > most) || logits[id] == std::numeric_limits<float>::infinity()) continue;
    most = logits[id];
    likeliest = static_cast<int32_t>(id);
  }
  if (options_.temperature <= 0 || likeliest < 0) return likeliest;
  // exp((logit - most) / temperature): not normalised, because Draw divides by the sum.
  for (size_t id = 0; id < logits.size(); ++id) {
    const double weight = std::exp((static_cast<double>(logits[id]) - most) / options_.temperature);
    if (weight > 0) candidates_.push_back({static_cast<int32_t>(id), weight});  // false for NaN
  }
  // From the likeliest down; equal ones by their ids, so that the order is the same everywhere.
  const bool cut = (options_.top_k != 0 && options_.top_k < candidates_.size()) || options_.top_p < 1;
  if (cut) {
    SortSmall(candidates_, [](const Candidate& a, const Candidate& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
    });
  }
  if (options_.top_k != 0 && options_.top_k < candidates_.size()) {
    size_t kept = options_.top_k;  // and further candidates as likely as the last one
    while (kept < candidates_.size() && candidates_[kept].weight == candidates_[options_.top_k - 1].weight) ++kept;
    candidates_.resize(kept);
  }
  // The fewest that reach top_p of the sum of what top_k has left (Holtzman et al. 2020).
  if (options_.top_p < 1) {
    double sum = 0, reached = 0;
    for (const Candidate& candidate : candidates_) sum += candidate.weight;
    size_t kept = 0;
    while (kept < candidates_.size() && reached < options_.top_p * sum) reached += candidates_[kept++].weight;
    candidates_.resize(std::max<size_t>(kept, 1));
  }
  return Draw();
}

// Keskar et al. 2019, CTRL: pieces that occurred are less likely. The number of occurrences does not matter.
void Sampler::Penalise(std::span<float> logits, std::span<const int32_t> history) const {
  if (options_.repetition_penalty == 1) return;
  std::vector<uint8_t> seen(logits.size());
  for (const int32_t id : history) {
    if (seen[static_cast<size_t>(id)]) continue;
    seen[static_cast<size_t>(id)] = true;
    float& logit = logits[static_cast<size_t>(id)];
    logit = logit > 0 ? logit / options_.repetition_penalty : logit * options_.repetition_penalty;
  }
}

int32_t Sampler::Draw() {
  double sum = 0;
  for (const Candidate& candidate : candidates_) sum += candidate.weight;
  // Inverse of the cumulative distribution at a uniform number.
  double at = static_cast<double>(random_.Uniform()) * sum;
  for (const Candidate& candidate : candidates_) {
    if (at < candidate.weight) return candidate.id;
    at -= candidate.weight;
  }
  return candidates_.back().id;
}

}  // namespace qkv
