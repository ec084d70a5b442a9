// Reads what PyTorch's state dictionaries are pickled as (docs.python.org/3/library/pickletools.html), and nothing
// else. A pickle is a program that names functions to call; this reader calls none. It knows four names, which make
// tensors and dictionaries of tensors, and refuses every other by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace qkv {

struct PickledTensor {
  std::string name;
  std::string dtype;            // as in safetensors
  std::string storage;          // the key of the storage that its numbers are in
  uint64_t first = 0;           // of the storage's numbers, at most 2^40
  std::vector<uint64_t> shape;  // whose product is at most 2^40
};

// The dictionary that a pickle makes, as names and tensors; what else it holds is passed over. `used`, if not null, is
// how many bytes the pickle has. Errors: kInvalidFile; kUnsupported for a name that is none of the four, and for
// tensors whose numbers do not lie in order; kLimitExceeded.
Result<std::vector<PickledTensor>> ReadPickle(std::span<const uint8_t> bytes, std::string_view file,
                                              size_t* used = nullptr);

}  // namespace qkv
