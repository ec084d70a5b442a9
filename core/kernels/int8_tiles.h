// Sums of products of 8-bit numbers by Intel's AMX, for matmul_int8.cc. They are the same integers as those of every
// other target.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/packed.h"

namespace qkv {

// Returns true if this process can use AMX for products of 8-bit numbers.
bool HasInt8Tiles();

// A tile holds 64 inputs of each row. The number of inputs of a product must be a multiple of 64.
inline constexpr size_t kTileInputs = 64;
// One call of Multiply computes at most 32 rows, and the 32 outputs of two panels.
inline constexpr size_t kTileRows = 32, kTileOutputs = 2 * kPanel;

// The tile registers of one thread. Only if HasInt8Tiles().
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
  size_t rows_ = 0;  // the registers are configured for this number of rows; 0: they are not configured
};

}  // namespace qkv
