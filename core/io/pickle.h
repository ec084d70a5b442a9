// Reads pickled state dictionaries of PyTorch (docs.python.org/3/library/pickletools.html), and nothing else. A pickle
// is a program that names functions to call; this reader calls none. It knows four names, which make tensors and
// dictionaries of tensors, and refuses every other name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace qkv {

struct PickledTensor {
  std::string name;
  std::string dtype;            // named as in safetensors
  std::string storage;          // the key of the storage that holds its numbers
  uint64_t first = 0;           // offset in the storage, in numbers, at most 2^40
  std::vector<uint64_t> shape;  // its product is at most 2^40
};

// The tensors of the pickled dictionary, with their names; other values are skipped. Sets `used`, if not null, to the
// length of the pickle in bytes. Errors: kInvalidFile; kUnsupported for other names, and for tensors whose numbers are
// not in order; kLimitExceeded.
Result<std::vector<PickledTensor>> ReadPickle(std::span<const uint8_t> bytes, std::string_view file,
                                              size_t* used = nullptr);

}  // namespace qkv
