// The general score with W = V'U of low rank: queries and keys are mapped to one space of few dimensions.
#include "core/attention/score_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"U", ParameterSize::kHidden, ParameterSize::kKeyDim},
                                         {"V", ParameterSize::kHidden, ParameterSize::kQueryDim}};

static void Prepare(const ScoreInputs& in, Arena& arena, PreparedScore& out) {
  out.keys = MapRows(in.keys, in["U"], arena);
  out.query_map = PackRows(in["V"]);
}

static void Backward(const ScoreBackward& b) {
  MapRowsBackward(b, b.mapped_queries, b.queries, b.in["V"], b.to_queries, b["V"]);
  MapRowsBackward(b, b.mapped_keys, b.in.keys, b.in["U"], b.to_keys, b["U"]);
}

extern const Score kLowRank = {"low-rank",  "(U k)'(V q)", "Luong et al. 2015, factored",  false,
                               kParameters, Prepare,       kTrainable ? Backward : nullptr};

}  // namespace qkv
