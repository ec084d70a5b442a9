// The product, and a learned number for each bucket of distances (Raffel et al. 2019, "Exploring the limits of transfer
// learning", T5). The first row of b has a number for each bucket of keys up to the query's place. The second row, if
// there is one, is for keys after it, which a causal query does not see; without it they count as keys at the query's
// place. Half of the buckets hold one distance each. The others grow by the logarithm up to `distance`, 128 by default,
// and the last one holds all larger distances. T5's own table of 32 numbers is b [2, 16], or [1, 32] in a decoder.
#include <cmath>

#include "core/attention/score_backward.h"
#include "core/base/exponential.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"b", ParameterSize::kOneOrTwo, ParameterSize::kHidden},
                                         {"distance", ParameterSize::kOne, ParameterSize::kOne, /*optional=*/true}};

static void Prepare(const ScoreInputs& in, Arena& arena, PreparedScore& out) {
  const ConstRows b = in["b"];
  const float* given = in["distance"].data;
  const double farthest = given != nullptr ? *given : 128;
  // The first distance of bucket e + i, of n buckets with the exact ones below e, is e (farthest / e)^(i / (n - e)).
  // The little less is for the rounding of powers that are whole numbers.
  const size_t exact = b.dim / 2;
  float* starts = arena.Floats(b.dim);
  const double ratio = exact > 0 && farthest > static_cast<double>(exact) ? farthest / static_cast<double>(exact) : 1;
  for (size_t i = 0; i < b.dim; ++i) {
    const double part = static_cast<double>(i) - static_cast<double>(exact);
    const double power = Exponential(part / static_cast<double>(b.dim - exact) * Logarithm(ratio));
    starts[i] =
        static_cast<float>(i < exact ? static_cast<double>(i) : std::ceil(static_cast<double>(exact) * power - 1e-6));
  }
  out.relative = {{b.data, b.rows * b.dim, 1, 1}, /*multiplied=*/false, starts, b.dim, b.rows == 2};
}

// `distance` only says where buckets begin: it has no gradient.
static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  Add(b.mapped_keys, b.to_keys);
  const Rows to = b["b"];
  Add({b.relative, to.rows, to.dim, to.dim}, to);
}

extern const Score kT5 = {"t5",    "q'k + b_bucket(j - t)",        "Raffel et al. 2019", true, kParameters,
                          Prepare, kTrainable ? Backward : nullptr};

}  // namespace qkv
