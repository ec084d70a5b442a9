// The general score with W = V'U of low rank: queries and keys meet in a space of their own.
#include "core/attention/score_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"U", Size::kHidden, Size::kKeyDim}, {"V", Size::kHidden, Size::kQueryDim}};

static void Ready(const ScoreInputs& in, Arena& arena, ReadyScore& out) {
  out.keys = MapRows(in.keys, in["U"], arena);
  out.query_map = PackRows(in["V"]);
}

static void Backward(const ScoreBackward& b) {
  MapRowsBackward(b, b.met_queries, b.queries, b.in["V"], b.to_queries, b["V"]);
  MapRowsBackward(b, b.met_keys, b.in.keys, b.in["U"], b.to_keys, b["U"]);
}

extern const Score kLowRank = {"low-rank",  "(U k)'(V q)", "Luong et al. 2015, factored",  false,
                               kParameters, Ready,         kTrainable ? Backward : nullptr};

}  // namespace qkv
