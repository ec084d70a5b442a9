// The memory that layers take at most, known before they are computed: core/base/room.h. That no step takes more is
// tested with each kind of model (tests/core/budget_test.cc).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/aligned.h"
#include "core/kernels/attention.h"

namespace qkv {

// Floats of the arena that one layer of a Transformer takes over `rows` rows of `d`, which attend to at most `keys`
// others, on so many threads; with what embeds the rows. A layer with self-attention and cross-attention, norms before
// and after, has 18 arrays of width d and 2 of the hidden layer's; what is quantised has a quarter of its width, in
// whole cache lines.
inline uint64_t LayerScratch(uint64_t rows, uint64_t d, uint64_t ffn, size_t keys, size_t threads) {
  constexpr uint64_t kQuantised = 256, kLines = 1 << 12;
  ScaledDotAttention attention;
  attention.keys = keys + kCacheLine;  // rounded up
  return rows * (20 * d + 2 * ffn + kQuantised) + threads * AttentionScratch(attention) + kLines;
}

// Floats of the arena that the logits of `rows` rows of `d` take, for `pieces` pieces.
inline uint64_t LogitsScratch(uint64_t rows, uint64_t d, uint64_t pieces) {
  constexpr uint64_t kLines = 256;
  return rows * (4 * d + pieces + kLines) + kLines;
}

}  // namespace qkv
