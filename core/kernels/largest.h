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

// The same for a row that comes in parts, in order: `part` begins at index `first` of the row, and the parts before it
// have left `found` entries.
size_t LargestWithPart(const float* part, size_t size, size_t first, size_t count, RowEntry* largest, size_t found);

}  // namespace qkv
