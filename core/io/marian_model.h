// Reads a Marian model as this engine's Transformer: its config from the tensors' shapes, its destinations from their
// names.
#pragma once

#include <string>
#include <vector>

#include "core/io/tensor_directory.h"
#include "core/layers/weight_slots.h"
#include "core/models/transformer_config.h"

namespace qkv {

// The config that the shapes of a file's tensors imply. The number of heads is 1 and the activation ReLU until the
// options are read (core/io/marian_options.h). The target's table has one row more than the file: zeros, for the start
// piece, as in Hugging Face's converter. `file` is for errors. Errors: kInvalidFile; kUnsupported for other models;
// kLimitExceeded.
Result<TransformerConfig> ReadMarianShape(const std::vector<TensorEntry>& tensors, const std::string& file);

// Marian's name of the tensor that `slot` names first in MarianMT's layout (core/models/transformer.cc); empty if
// Marian has none.
std::string MarianName(const std::string& slot, const TransformerConfig& config);

// The destinations of a Transformer of that config, with Marian's names for those tensors.
WeightSlots MarianSlots(WeightSlots slots, const std::vector<TensorEntry>& tensors, const TransformerConfig& config);

}  // namespace qkv
