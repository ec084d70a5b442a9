// The largest numbers of a row and their indices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qkv {

struct RowEntry {
  float value;
  int32_t index;
};

// Writes the `count` largest numbers of row [size], the largest first, equal ones in order of their index. NaN and
// -infinity are left out. Returns how many were written.
size_t Largest(const float* row, size_t size, size_t count, RowEntry* largest);

}  // namespace qkv
