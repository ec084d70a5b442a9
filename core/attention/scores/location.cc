// A score of the query and the key's place alone (Luong et al. 2015): row j of W takes
// the place of key j.
#include "core/attention/score_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"W", ParameterSize::kKeysAtLeast, ParameterSize::kQueryDim}};

static void Prepare(const ScoreInputs& in, Arena&, PreparedScore& out) {
  const ConstRows w = in["W"];
  out.keys = {w.data, in.keys.rows, w.dim, w.stride};
  out.places = true;
}

static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  for (size_t s = 0; s < b.key_segments.size(); ++s) {
    const size_t first = b.key_segments.begin(s), count = b.key_segments.length(s);
    Add({b.mapped_keys.Row(first), count, b.mapped_keys.dim, b.mapped_keys.stride}, b["W"]);
  }
}

extern const Score kLocation = {
    "location", "W q", "Luong et al. 2015", false, kParameters, Prepare, kTrainable ? Backward : nullptr};

}  // namespace qkv
