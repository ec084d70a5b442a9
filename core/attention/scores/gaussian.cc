// The exponent of a Gaussian kernel: with softmax, regression by Nadaraya and Watson (1964). The larger w, the narrower
// the kernel; w is 1 by default.
#include "core/attention/score_backward.h"
#include "core/kernels/pairwise_backward.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"w", ParameterSize::kOne, ParameterSize::kOne, /*optional=*/true}};

static void Prepare(const ScoreInputs& in, Arena& arena, PreparedScore& out) {
  out.pair_sum = SquaredDistances;
  if (kTrainable) out.pair_sum_backward = SquaredDistancesBackward;
  const float* w = in["w"].data;
  if (w == nullptr) return;
  out.scale = *w;
  float* scaled = arena.Floats(in.keys.rows * in.keys.dim);
  for (size_t r = 0; r < in.keys.rows; ++r) {
    for (size_t c = 0; c < in.keys.dim; ++c) scaled[r * in.keys.dim + c] = in.keys.Row(r)[c] * *w;
  }
  out.keys = {scaled, in.keys.rows, in.keys.dim, in.keys.dim};
}

// The mapped queries and keys are w q and w k.
static void Backward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  Add(b.mapped_keys, b.to_keys, b.prepared.scale);
  const Rows to = b["w"];
  if (to.data == nullptr) return;
  double sum = b.scale;
  for (size_t r = 0; r < b.in.keys.rows; ++r) {
    for (size_t c = 0; c < b.in.keys.dim; ++c) {
      if (const float d = b.mapped_keys.Row(r)[c]; d != 0) sum += static_cast<double>(d) * b.in.keys.Row(r)[c];
    }
  }
  *to.data += static_cast<float>(sum);
}

extern const Score kGaussian = {"gaussian", "-|w (q - k)|^2 / 2",           "Nadaraya, Watson 1964", true, kParameters,
                                Prepare,    kTrainable ? Backward : nullptr};

}  // namespace qkv
