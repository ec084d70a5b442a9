// Relative positions of keys and values (Shaw et al. 2018, "Self-attention with relative position representations"):
// each distance j - t, clipped to -r ... r, has a row of A_k that is added to the key, and a row of A_v that is added
// to the value. Each has 2r + 1 rows, from -r to r, and r may differ. Without A_v values stay as they are.
#include <cmath>

#include "core/attention/score_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"A_k", ParameterSize::kOdd, ParameterSize::kKeyDim},
                                         {"A_v", ParameterSize::kOdd, ParameterSize::kValueDim, /*optional=*/true}};

static void Prepare(const ScoreInputs& in, Arena&, PreparedScore& out) {
  out.scale = 1 / std::sqrt(static_cast<float>(in.keys.dim));
  out.relative = {in["A_k"], /*multiplied=*/true};
  out.relative_values = {in["A_v"]};
}

static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  Add(b.mapped_keys, b.to_keys);
  const Rows key_table = b["A_k"], value_table = b["A_v"];
  Add({b.relative, key_table.rows, key_table.dim, key_table.dim}, key_table);
  Add({b.relative_values, value_table.rows, value_table.dim, value_table.dim}, value_table);
}

extern const Score kShaw = {"shaw",  "q'(k + A_k[j - t]) / sqrt(d)", "Shaw et al. 2018", true, kParameters,
                            Prepare, kTrainable ? Backward : nullptr};

}  // namespace qkv
