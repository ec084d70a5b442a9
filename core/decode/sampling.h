// Choosing the next piece: the likeliest, or one drawn at random from a distribution that is first bent and cut. The
// order is that of Hugging Face's generate(): repetition penalty, temperature, top-k, top-p.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"

namespace qkv {

struct SamplingOptions {
  float temperature = 0;         // divides the logits; 0: always the likeliest piece
  size_t top_k = 0;              // draw from so many of the likeliest; 0: from all
  float top_p = 1;               // from the fewest whose probabilities reach this sum (Holtzman et al. 2020)
  float repetition_penalty = 1;  // of pieces that are there already, their logit is moved away (Keskar et al. 2019)
  uint64_t seed = 0;             // the same seed draws the same
};

class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options) : options_(options), random_(options.seed) {}

  // `logits` are changed; `history` are the pieces so far, all in their vocabulary. -1 where no number is finite.
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
