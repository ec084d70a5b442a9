#include "core/attention/reinforce.h"

#include <cassert>
#include <numeric>

namespace qkv {

void Reinforce::AddGradient(std::span<const float> rewards, const Segments& queries, size_t heads, float* gradient) {
  assert(rewards.size() == queries.size());
  if (rewards.empty()) return;
  const size_t rows = queries.rows();
  float* entropy = gradient + heads * rows;
  for (size_t s = 0; s < rewards.size(); ++s) {
    const auto advantage = static_cast<float>(rewards[s] - baseline());
    for (size_t head = 0; head < heads; ++head) {
      for (size_t i = queries.begin(s); i < queries.end(s); ++i) {
        gradient[head * rows + i] -= options_.reward * advantage;
        entropy[head * rows + i] -= options_.entropy;
      }
    }
  }
  const double mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) / static_cast<double>(rewards.size());
  state_.sum = options_.decay * state_.sum + (1 - options_.decay) * mean;
  state_.weight = options_.decay * state_.weight + (1 - options_.decay);
}

}  // namespace qkv
