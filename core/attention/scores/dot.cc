// The product of query and key (Luong et al. 2015).
#include "core/attention/score_backward.h"

namespace qkv {

static void Ready(const ScoreInputs&, Arena&, ReadyScore&) {}

static void Backward(const ScoreBackward& b) {
  Add(b.met_queries, b.to_queries);
  Add(b.met_keys, b.to_keys);
}

extern const Score kDot = {"dot", "q'k", "Luong et al. 2015", true, {}, Ready, kTrainable ? Backward : nullptr};

}  // namespace qkv
