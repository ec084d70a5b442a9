// The logarithm of the softmax of a row of logits, and its entropy. For likelihoods and their backward.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/attention/mask.h"

namespace qkv {

struct RowLogSoftmax {
  double max = kMasked, log_sum = 0, entropy = 0;

  RowLogSoftmax(KeyRange seen, const float* logits) {
    for (size_t j = seen.begin; j < seen.end; ++j)
      max = std::isnan(logits[j]) ? logits[j] : std::max<double>(max, logits[j]);
    if (max == kMasked) return;
    double sum = 0, product = 0;
    for (size_t j = seen.begin; j < seen.end; ++j) {
      if (logits[j] == kMasked) continue;
      const double e = std::exp(logits[j] - max);
      sum += e;
      product += e * (logits[j] - max);
    }
    log_sum = std::log(sum);
    entropy = log_sum - product / sum;
  }

  double LogProbability(float logit) const { return logit == kMasked ? kMasked : logit - max - log_sum; }
};

}  // namespace qkv
