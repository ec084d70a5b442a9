// A score of the query and the key's place alone (Luong et al. 2015): row j of W stands where key j would.
#include "core/attention/score.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"W", Size::kKeysAtLeast, Size::kQueryDim}};

static void Ready(const ScoreInputs& in, Arena&, ReadyScore& out) {
  const ConstRows w = in["W"];
  out.keys = {w.data, in.keys.rows, w.dim, w.stride};
}

extern const Score kLocation = {"location", "W q", "Luong et al. 2015", false, kParameters, Ready};

}  // namespace qkv
