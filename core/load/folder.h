// A model folder of any kind on disk.
#pragma once

#include <string>

#include "core/load/any_model.h"

namespace qkv {

struct LoadedFolder {
  AnyModel model;
  LoadedSize size;
  std::vector<WeightFile> files;  // of the weights
};

// Reads a model.*.bin with Marian's other files if there is one. Otherwise it reads the small files and the weights:
// the first that exists of model.safetensors, its shards, pytorch_model.bin, its shards. Weights are mapped, not read.
// Errors: kMissingFile, kInvalidFile, kUnsupported, kLimitExceeded.
Result<LoadedFolder> LoadAnyFolder(const std::string& folder, ArriveAs arrive = ArriveAs::kStored);

}  // namespace qkv
