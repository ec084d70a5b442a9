// A product through a matrix: bilinear, not symmetric, and queries and keys may differ in size (Luong et al. 2015).
#include "core/attention/score_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"W", ParameterSize::kQueryDim, ParameterSize::kKeyDim}};

static void Prepare(const ScoreInputs& in, Arena&, PreparedScore& out) {
  out.query_map = PackRows(in["W"], /*transposed=*/true);
}

// y = W'q: dq = W dy, dW = q dy'.
static void Backward(const ScoreBackward& b) {
  const ConstRows dy = b.mapped_queries, q = b.queries, w = b.in["W"];
  const Factor d = {dy.data, dy.stride};
  AddProduct(q.rows, q.dim, dy.dim, d, {w.data, w.stride, true}, IsFinite(w), b.to_queries, b.arena, b.pool);
  AddProduct(q.dim, dy.dim, q.rows, {q.data, q.stride, true}, d, IsFinite(q), b["W"], b.arena, b.pool);
  Add(b.mapped_keys, b.to_keys);
}

extern const Score kGeneral = {
    "general", "q'W k", "Luong et al. 2015", false, kParameters, Prepare, kTrainable ? Backward : nullptr};

}  // namespace qkv
