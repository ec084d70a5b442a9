// The product of query and key (Luong et al. 2015).
#include "core/attention/score.h"

namespace qkv {

static void Ready(const ScoreInputs&, Arena&, ReadyScore&) {}

extern const Score kDot = {"dot", "q'k", "Luong et al. 2015", true, {}, Ready};

}  // namespace qkv
