// The score of Luong et al. 2015 on query and key joined. W = [W_q W_k] acts on each part alone, so that this is
// additive attention.
#include "core/attention/score.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"W", Size::kHidden, Size::kBothDims}, {"v", Size::kOne, Size::kHidden}};

static void Ready(const ScoreInputs& in, Arena& arena, ReadyScore& out) {
  const ConstRows w = in["W"];
  out.keys = MapRows(in.keys, {w.data + in.query_dim, w.rows, in.keys.dim, w.stride}, arena);
  out.query_map = PackRows({w.data, w.rows, in.query_dim, w.stride});
  out.pair_sum = TanhSums;
  out.pair_weight = in["v"].data;
}

extern const Score kConcat = {"concat", "v' tanh(W [q; k])", "Luong et al. 2015", false, kParameters, Ready};

}  // namespace qkv
