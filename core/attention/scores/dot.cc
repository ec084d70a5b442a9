// The product of query and key (Luong et al. 2015).
#include "core/attention/score_backward.h"

namespace qkv {

static void Prepare(const ScoreInputs&, Arena&, PreparedScore&) {}

static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  Add(b.mapped_keys, b.to_keys);
}

extern const Score kDot = {"dot", "q'k", "Luong et al. 2015", true, {}, Prepare, kTrainable ? Backward : nullptr};

}  // namespace qkv
