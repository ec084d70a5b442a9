// Writes the weights that a model's seats hold as model.safetensors.
#pragma once

#include <ostream>

#include "core/models/weights.h"

namespace qkv {

// One tensor a slot, by the first of its names: vectors and matrices of floats as F32, those of int8 as I8 with their
// scales. With `quantize`, matrices of floats become int8 too: each output's weights to the nearest of 255 steps, its
// largest at the end (core/kernels/quantized.h). Every slot must have been filled. Check `out` for whether it took it.
void WriteSafetensors(const WeightSlots& slots, bool quantize, std::ostream& out);

}  // namespace qkv
