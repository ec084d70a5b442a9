// A product through a matrix: bilinear, not symmetric, and queries and keys may differ in size (Luong et al. 2015).
#include "core/attention/score.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"W", Size::kQueryDim, Size::kKeyDim}};

static void Ready(const ScoreInputs& in, Arena&, ReadyScore& out) {
  out.query_map = PackRows(in["W"], /*transposed=*/true);
}

extern const Score kGeneral = {"general", "q'W k", "Luong et al. 2015", false, kParameters, Ready};

}  // namespace qkv
