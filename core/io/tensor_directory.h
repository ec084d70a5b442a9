// The directory of a file of weights: the names, types, shapes and places of its tensors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace qkv {

// A range of bytes of a file of weights.
struct ByteRange {
  uint64_t offset = 0;
  uint64_t length = 0;  // 0: nothing more is wanted
  size_t file = 0;
};

// The dtype of the one float32 by which all numbers of an int8 matrix were multiplied.
inline constexpr const char* kInverseScale = "inverse scale";

struct TensorEntry {
  std::string name, dtype;  // "F32", "F16", "BF16", "I8", kInverseScale; other types are listed but not read
  std::vector<uint64_t> shape;
  ByteRange range;
};

class TensorDirectory {
 public:
  virtual ~TensorDirectory() = default;
  // The range wanted next; length 0 when the directory is complete.
  virtual ByteRange Next() const = 0;
  // Takes all bytes of Next(). Errors: kInvalidFile, kUnsupported, kLimitExceeded.
  virtual Result<void> Feed(std::span<const uint8_t> bytes) = 0;
  // To be called when the directory is complete.
  virtual std::vector<TensorEntry> Take() = 0;
};

inline constexpr uint64_t kLargestFile = uint64_t{1} << 40;

}  // namespace qkv
