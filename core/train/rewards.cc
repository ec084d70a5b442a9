#include "core/train/rewards.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qkv {
namespace {

// The weight of the entropy's gradient. Without it, a choice that was drawn early would always be drawn.
constexpr float kEntropy = 0.02f;

double LogProbability(std::span<const float> logits, size_t piece) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  const double sum = std::accumulate(logits.begin(), logits.end(), 0.0, [&](double total, float logit) {
    return total + std::exp(static_cast<double>(logit) - largest);
  });
  return static_cast<double>(logits[piece]) - largest - std::log(sum);
}

}  // namespace

void SetRewards(ConstMatrixView logits, std::span<const int32_t> targets, float scale, Tape::Choices& choices) {
  const size_t rows = targets.size(), pieces = static_cast<size_t>(logits.cols());
  std::vector<double> rewards(rows);
  for (size_t i = 0; i < rows; ++i) {
    rewards[i] = LogProbability({logits.data() + i * pieces, pieces}, static_cast<size_t>(targets[i]));
  }
  const double sum = std::accumulate(rewards.begin(), rewards.end(), 0.0);
  const double others = std::max<double>(static_cast<double>(rows) - 1, 1);
  choices.likelihood.resize(rows);
  for (size_t i = 0; i < rows; ++i) {
    const double baseline = (sum - rewards[i]) / others;
    choices.likelihood[i] = -scale * static_cast<float>(rewards[i] - baseline);
  }
  choices.entropy = -scale * kEntropy;
}

}  // namespace qkv
