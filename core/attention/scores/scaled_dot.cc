// The product divided by the square root of the size n of a key (Vaswani et al. 2017, section 3.2.1). If entries have
// variance 1, q'k has variance n, and the softmax of large scores has almost no gradient.
#include <cmath>

#include "core/attention/score_backward.h"

namespace qkv {

static void Prepare(const ScoreInputs& in, Arena&, PreparedScore& out) {
  out.scale = 1 / std::sqrt(static_cast<float>(in.keys.dim));
}

static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  Add(b.mapped_keys, b.to_keys);
}

extern const Score kScaledDot = {"scaled-dot", "q'k / sqrt(d)", "Vaswani et al. 2017",          true,
                                 {},           Prepare,         kTrainable ? Backward : nullptr};

}  // namespace qkv
