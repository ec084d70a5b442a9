// Writes the weights that a model's destinations hold as model.safetensors.
#pragma once

#include "core/io/byte_sink.h"
#include "core/layers/weight_slots.h"

namespace qkv {

enum class FloatsAs {
  kF32,
  kF16,   // matrices and vectors alike, to the nearest half
  kInt8,  // matrices: each output's weights to the nearest of 255 steps, its largest at the end
          // (core/kernels/quantized.h); vectors F32
};

// One tensor a slot, or one of all slots that are parts of it, by the first of its names. Matrices of int8 are written
// as I8 with their scales beside them, in any case; those that files write transposed, or as parts of one, as F32 where
// others become int8. Every slot must have been filled.
void WriteSafetensors(const WeightSlots& slots, FloatsAs floats, const ByteSink& out);

}  // namespace qkv
