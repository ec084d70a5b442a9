// Attention with linear biases (Press et al. 2021, "Train short, test long"): the farther away a key is, the lower its
// score. Without slopes, head h of H has 2^(-8 (h + 1) / H), as in the paper.
#include <cmath>

#include "core/attention/score_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"slope", ParameterSize::kOne, ParameterSize::kOne, /*optional=*/true}};

static void Prepare(const ScoreInputs& in, Arena&, PreparedScore& out) {
  const float* slope = in["slope"].data;
  out.scale = 1 / std::sqrt(static_cast<float>(in.keys.dim));
  out.slope =
      slope != nullptr ? *slope : std::exp2(-8 * static_cast<float>(in.head + 1) / static_cast<float>(in.heads));
}

static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  Add(b.mapped_keys, b.to_keys);
  Add({&b.slope, 1, 1, 1}, b["slope"]);
}

extern const Score kAlibi = {"alibi", "q'k / sqrt(d) - slope |t - j|", "Press et al. 2021", true, kParameters,
                             Prepare, kTrainable ? Backward : nullptr};

}  // namespace qkv
