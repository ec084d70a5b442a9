// Additive attention (Bahdanau et al. 2014, "Neural machine translation by jointly learning to align and translate").
#include "core/attention/score_backward.h"
#include "core/kernels/pairwise_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"W_q", ParameterSize::kHidden, ParameterSize::kQueryDim},
                                         {"W_k", ParameterSize::kHidden, ParameterSize::kKeyDim},
                                         {"w_v", ParameterSize::kOne, ParameterSize::kHidden}};

static void Prepare(const ScoreInputs& in, Arena& arena, PreparedScore& out) {
  out.keys = MapRows(in.keys, in["W_k"], arena);
  out.query_map = PackRows(in["W_q"]);
  out.pair_sum = TanhSums;
  if (kTrainable) out.pair_sum_backward = TanhSumsBackward;
  out.pair_weight = in["w_v"].data;
}

static void Backward(const ScoreBackward& b) {
  MapRowsBackward(b, b.mapped_queries, b.queries, b.in["W_q"], b.to_queries, b["W_q"]);
  MapRowsBackward(b, b.mapped_keys, b.in.keys, b.in["W_k"], b.to_keys, b["W_k"]);
  Add({b.pair_weight, 1, b.mapped_keys.dim, b.mapped_keys.dim}, b["w_v"]);
}

extern const Score kAdditive = {"additive", "w_v' tanh(W_q q + W_k k)",     "Bahdanau et al. 2014", false, kParameters,
                                Prepare,    kTrainable ? Backward : nullptr};

}  // namespace qkv
