// The largest numbers of a row, and where they are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace qkv {

struct RowEntry {
  float value;
  int32_t index;
};

// Writes the `count` largest of row [size], the largest first, equal ones in order of their index, and returns how many
// there are: NaN and -infinity are left out.
size_t Largest(const float* row, size_t size, size_t count, RowEntry* largest);

}  // namespace qkv
