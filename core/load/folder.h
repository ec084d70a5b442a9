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

// Where there is a model.*.bin, Marian's own files. Else reads the small files that there are, and the weights:
// model.safetensors, its shards, pytorch_model.bin or its shards, whichever is there first. They are mapped, not read.
// Errors: kMissingFile, kInvalidFile, kUnsupported, kLimitExceeded.
Result<LoadedFolder> LoadAnyFolder(const std::string& folder, ArriveAs arrive = ArriveAs::kStored);

}  // namespace qkv
