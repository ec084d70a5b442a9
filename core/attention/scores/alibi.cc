// Attention with linear biases (Press et al. 2021, "Train short, test long"): the farther a key is, the less it scores.
// Without slopes, head h of H has 2^(-8 (h + 1) / H), as in the paper.
#include <cmath>

#include "core/attention/score.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"slope", Size::kOne, Size::kOne, /*optional=*/true}};

static void Ready(const ScoreInputs& in, Arena&, ReadyScore& out) {
  const float* slope = in["slope"].data;
  out.scale = 1 / std::sqrt(static_cast<float>(in.keys.dim));
  out.slope =
      slope != nullptr ? *slope : std::exp2(-8 * static_cast<float>(in.head + 1) / static_cast<float>(in.heads));
}

extern const Score kAlibi = {"alibi", "q'k / sqrt(d) - slope |t - j|", "Press et al. 2021", true, kParameters, Ready};

}  // namespace qkv
