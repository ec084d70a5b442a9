// Upper bounds of the memory of layers, before they are computed (core/base/memory_need.h). tests/core/budget_test.cc
// checks them with each kind of model.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/aligned.h"
#include "core/kernels/attention.h"

namespace qkv {

// Floats of the arena that one layer of a Transformer takes, with the embedding, over `rows` rows of `d` that attend to
// at most `keys` others, on `threads` threads. A layer with self-attention, cross-attention and norms before and after
// has 18 arrays of width d and 2 of the hidden layer's width. A quantised array has a quarter of its width, in whole
// cache lines.
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
