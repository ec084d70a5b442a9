// Additive attention (Bahdanau et al. 2014, "Neural machine translation by jointly learning to align and translate").
#include "core/attention/score.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {
    {"W_q", Size::kHidden, Size::kQueryDim}, {"W_k", Size::kHidden, Size::kKeyDim}, {"w_v", Size::kOne, Size::kHidden}};

static void Ready(const ScoreInputs& in, Arena& arena, ReadyScore& out) {
  out.keys = MapRows(in.keys, in["W_k"], arena);
  out.query_map = PackRows(in["W_q"]);
  out.pair_sum = TanhSums;
  out.pair_weight = in["w_v"].data;
}

extern const Score kAdditive = {"additive", "w_v' tanh(W_q q + W_k k)", "Bahdanau et al. 2014", false, kParameters,
                                Ready};

}  // namespace qkv
