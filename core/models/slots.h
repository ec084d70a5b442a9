// The slots of layers that models share, by their names in files.
#pragma once

#include <string>

#include "core/layers/linear.h"
#include "core/layers/norm.h"
#include "core/layers/weight_slots.h"

namespace qkv {

inline void AddLinear(WeightSlots& slots, const std::string& name, Linear& linear, size_t outputs, size_t inputs) {
  slots.Add(name + ".weight", linear.weight, outputs, inputs);
  slots.Add(name + ".bias", linear.bias, outputs);
}

// BERT's first files call the gain gamma and the bias beta.
inline void AddNorm(WeightSlots& slots, const std::string& name, Norm& norm, size_t d) {
  slots.Add(name + ".weight", norm.gain, d, Start::kOnes);
  slots.slots.back().names.push_back(name + ".gamma");
  slots.Add(name + ".bias", norm.bias, d);
  slots.slots.back().names.push_back(name + ".beta");
}

}  // namespace qkv
