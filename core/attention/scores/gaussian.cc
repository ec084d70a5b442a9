// The exponent of a Gaussian kernel: with softmax, regression by Nadaraya and Watson (1964). The larger w, the narrower
// the kernel; without it, 1.
#include "core/attention/score.h"

namespace qkv {

constexpr ParameterSpec kParameters[] = {{"w", Size::kOne, Size::kOne, /*optional=*/true}};

static void Ready(const ScoreInputs& in, Arena& arena, ReadyScore& out) {
  out.pair_sum = SquaredDistances;
  const float* w = in["w"].data;
  if (w == nullptr) return;
  out.scale = *w;
  float* scaled = arena.Floats(in.keys.rows * in.keys.dim);
  for (size_t r = 0; r < in.keys.rows; ++r) {
    for (size_t c = 0; c < in.keys.dim; ++c) scaled[r * in.keys.dim + c] = in.keys.Row(r)[c] * *w;
  }
  out.keys = {scaled, in.keys.rows, in.keys.dim, in.keys.dim};
}

extern const Score kGaussian = {"gaussian", "-|w (q - k)|^2 / 2", "Nadaraya, Watson 1964", true, kParameters, Ready};

}  // namespace qkv
