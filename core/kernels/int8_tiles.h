// Sums of products of 8-bit numbers by Intel's AMX, for matmul_int8.cc. They are the same integers as those of every
// other target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/packed.h"

namespace qkv {

// Whether this processor has them. The answer does not change.
bool HasInt8Tiles();

// The inputs that a tile holds. A product has a multiple of them.
inline constexpr size_t kTileInputs = 64;
// The largest block of rows, and its outputs: two panels.
inline constexpr size_t kTileRows = 32, kTileOutputs = 2 * kPanel;

// The tile registers of one thread, where HasInt8Tiles().
class Int8Tiles {
 public:
  Int8Tiles() = default;
  ~Int8Tiles();
  Int8Tiles(const Int8Tiles&) = delete;
  Int8Tiles& operator=(const Int8Tiles&) = delete;

  // sums [rows, kTileOutputs] = x [rows, inputs] times the weights of two panels; 1 to kTileRows rows. A row of x is
  // `stride` bytes after the one before it.
  void Multiply(const uint8_t* x, size_t stride, size_t rows, const int8_t* first, const int8_t* second, size_t inputs,
                int32_t* sums);

 private:
  size_t rows_ = 0;  // for which the registers are configured; 0: not at all
};

}  // namespace qkv
