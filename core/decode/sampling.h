// Choosing the next piece: the likeliest, or one drawn at random after the distribution was changed. The order of the
// changes is that of Hugging Face's generate(): repetition penalty, temperature, top-k, top-p.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace qkv {

struct SamplingOptions {
  float temperature = 0;  // divides the logits; 0: always take the likeliest piece
  size_t top_k = 0;       // draw from this many of the likeliest pieces; 0: from all
  // draw from the fewest pieces whose probabilities reach this sum (Holtzman et al. 2020)
  float top_p = 1;
  float repetition_penalty = 1;  // makes pieces that occurred already less likely (Keskar et al. 2019)
  uint64_t seed = 0;             // the same seed draws the same pieces
};

class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {}

  // Changes `logits`. `history` is the pieces so far, all in the vocabulary. Returns -1 if no logit is finite.
  int32_t Choose(std::span<float> logits, std::span<const int32_t> history);

 private:
  struct Candidate {
    int32_t id;
    double weight;
  };
  void Penalise(std::span<float> logits, std::span<const int32_t> history) const;
  int32_t Draw();

  SamplingOptions options_;
  Random random_;
  std::vector<Candidate> candidates_;  // reused from call to call
};

}  // namespace qkv
