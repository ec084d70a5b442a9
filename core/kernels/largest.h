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

// The same for a row that is given in parts. Call it once for each part, in order. part [size] has the numbers of the
// row from index `first` on. `found` is the result of the call before, or 0 in the first call. The function updates
// `largest`, and returns how many numbers are in it.
size_t LargestWithPart(const float* part, size_t size, size_t first, size_t count, RowEntry* largest, size_t found);

}  // namespace qkv
