// The cosine of the angle between query and key (Graves et al. 2014), divided by a temperature, 1 by default.
#include <algorithm>

#include "core/attention/score_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"temperature", ParameterSize::kOne, ParameterSize::kOne, /*optional=*/true}};

static void Prepare(const ScoreInputs& in, Arena& arena, PreparedScore& out) {
  const Rows unit = {arena.Floats(in.keys.rows * in.keys.dim), in.keys.rows, in.keys.dim, in.keys.dim};
  for (size_t r = 0; r < unit.rows; ++r) std::copy_n(in.keys.Row(r), unit.dim, unit.Row(r));
  DivideByLength(unit);
  out.keys = {unit.data, unit.rows, unit.dim, unit.stride};
  out.unit_queries = true;
  if (const float* temperature = in["temperature"].data) out.scale = 1 / *temperature;
}

static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  DivideByLengthBackward(b.in.keys, b.mapped_keys, b.to_keys, /*add=*/true);
  // scale = 1 / temperature
  const float of_temperature = -b.scale * b.prepared.scale * b.prepared.scale;
  Add({&of_temperature, 1, 1, 1}, b["temperature"]);
}

extern const Score kCosine = {"cosine", "q'k / (|q| |k| temperature)",  "Graves et al. 2014", true, kParameters,
                              Prepare,  kTrainable ? Backward : nullptr};

}  // namespace qkv
