// A Marian model as this engine's Transformer: its shape by its tensors, and its destinations by their names.
#pragma once

#include <string>
#include <vector>

#include "core/io/tensor_directory.h"
#include "core/layers/weight_slots.h"
#include "core/models/transformer_config.h"

namespace qkv {

// The shape that a file's tensors have. Its heads are one and its activation ReLU, which the options say later
// (core/io/marian_options.h). The target's table has one row more than the file: zeros, the start piece, as Hugging
// Face's converter has it. `file`: for errors. Errors: kInvalidFile; kUnsupported for other models; kLimitExceeded.
Result<TransformerConfig> ReadMarianShape(const std::vector<TensorEntry>& tensors, const std::string& file);

// What Marian calls the tensor that `slot` names first in the layout of MarianMT (core/models/transformer.cc); empty
// where it has none.
std::string MarianName(const std::string& slot, const TransformerConfig& config);

// The destinations of a Transformer of that shape, to be filled from those tensors.
WeightSlots MarianSlots(WeightSlots slots, const std::vector<TensorEntry>& tensors, const TransformerConfig& config);

}  // namespace qkv
