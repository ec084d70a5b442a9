// The slots of layers that models share, by their names in files.
#pragma once

#include <string>

#include "core/layers/linear.h"
#include "core/layers/multi_head.h"
#include "core/layers/norm.h"
#include "core/layers/weight_slots.h"

namespace qkv {

inline void AddLinear(WeightSlots& slots, const std::string& name, Linear& linear, size_t outputs, size_t inputs) {
  slots.Add(name + ".weight", linear.weight, outputs, inputs);
  slots.Add(name + ".bias", linear.bias, outputs);
}

inline void AddNorm(WeightSlots& slots, const std::string& name, Norm& norm, size_t d) {
  slots.Add(name + ".weight", norm.gain, d, Start::kOnes);
  slots.Add(name + ".bias", norm.bias, d);
}

// The four projections [d, d] as Hugging Face's encoder-decoders name them.
inline void AddMultiHead(WeightSlots& slots, const std::string& name, MultiHead& layer, size_t d) {
  AddLinear(slots, name + ".q_proj", layer.query, d, d);
  AddLinear(slots, name + ".k_proj", layer.key, d, d);
  AddLinear(slots, name + ".v_proj", layer.value, d, d);
  AddLinear(slots, name + ".out_proj", layer.output, d, d);
}

}  // namespace qkv
