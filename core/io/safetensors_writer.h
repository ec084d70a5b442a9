// Writes the weights that a model's destinations hold as model.safetensors.
#pragma once

#include "core/io/byte_sink.h"
#include "core/layers/weight_slots.h"

namespace qkv {

enum class FloatsAs {
  kF32,
  kF16,   // matrices and vectors, rounded to the nearest half
  kInt8,  // matrices: each output's weights are rounded to the nearest of 255 steps, scaled by the largest
          // (core/kernels/quantized.h); vectors F32
  kInt4,  // as kInt8, then the rows of matrices whose inputs are whole groups in 4 bits (core/kernels/int4.h)
};

// Writes one tensor for each slot, or one for all slots that are parts of it, by its first name. Int8 matrices are
// written as I8, or as U8 in 4 bits, with their scales. With kInt8 and kInt4, float matrices that files write
// transposed, or that have several parts, are written as F32. Every slot must be filled.
void WriteSafetensors(const WeightSlots& slots, FloatsAs floats, const ByteSink& out);

}  // namespace qkv
