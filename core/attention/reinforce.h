// Learning from rewards what sampled attention draws: REINFORCE (Williams 1992) with a baseline, as Xu et al. 2015
// (section 4.1) have it for hard attention. A draw a of probability p(a) with reward r adds
//
//   reward (r - b) d log p(a) + entropy d H(p)
//
// to the gradient of the objective, which is maximised. b is a running mean of earlier rewards. It does not change the
// expectation, since the mean of d log p is 0, and it reduces the variance.
#pragma once

#include <span>

#include "core/attention/segments.h"

namespace qkv {

class Reinforce {
 public:
  struct Options {
    float reward = 1;    // lambda_r
    float entropy = 0;   // lambda_e: the weight of the entropy
    float decay = 0.9f;  // of the baseline, once for each call
  };
  // The state for resuming a run.
  struct State {
    double sum = 0, weight = 0;
  };

  explicit Reinforce(const Options& options) : options_(options) {}
  Reinforce(const Options& options, const State& state) : options_(options), state_(state) {}

  // The mean of earlier rewards, later ones counting more; 0 before there are any.
  double baseline() const { return state_.weight > 0 ? state_.sum / state_.weight : 0; }
  const State& state() const { return state_; }

  // One reward for each segment, which is for every draw of it in all heads; one segment each for rewards of single
  // queries. `gradient` [2, heads * queries], added to: of a loss, which is minimised, with respect to Likelihood's
  // results. The rewards then join the baseline.
  void AddGradient(std::span<const float> rewards, const Segments& queries, size_t heads, float* gradient);

 private:
  Options options_;
  State state_;
};

}  // namespace qkv
