// The score of Luong et al. 2015 on query and key joined. W = [W_q W_k] acts on each part
// separately, so this is additive attention.
#include "core/attention/score_backward.h"
#include "core/kernels/pairwise_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"W", ParameterSize::kHidden, ParameterSize::kBothDims},
                                         {"v", ParameterSize::kOne, ParameterSize::kHidden}};

static void Prepare(const ScoreInputs& in, Arena& arena, PreparedScore& out) {
  const ConstRows w = in["W"];
  out.keys = MapRows(in.keys, {w.data + in.query_dim, w.rows, in.keys.dim, w.stride}, arena);
  out.query_map = PackRows({w.data, w.rows, in.query_dim, w.stride});
  out.pair_sum = TanhSums;
  if (kTrainable) out.pair_sum_backward = TanhSumsBackward;
  out.pair_weight = in["v"].data;
}

static void Backward(const ScoreBackward& b) {
  const ConstRows w = b.in["W"];
  const Rows to = b["W"];
  const size_t query_dim = b.in.query_dim, key_dim = b.in.keys.dim;
  MapRowsBackward(b, b.mapped_queries, b.queries, w, b.to_queries, to);
  Rows to_right = to;
  if (to.data != nullptr) to_right.data += query_dim;
  MapRowsBackward(b, b.mapped_keys, b.in.keys, {w.data + query_dim, w.rows, key_dim, w.stride}, b.to_keys, to_right);
  Add({b.pair_weight, 1, b.mapped_keys.dim, b.mapped_keys.dim}, b["v"]);
}

extern const Score kConcat = {
    "concat", "v' tanh(W [q; k])", "Luong et al. 2015", false, kParameters, Prepare, kTrainable ? Backward : nullptr};

}  // namespace qkv
