// Which elements dropout leaves, from numbers of a counter alone: the backward asks again and keeps no mask.
#pragma once

#include <cstddef>

#include "core/base/random.h"
#include "core/base/threads.h"

namespace qkv {

// Blocks of random numbers that `count` elements take.
size_t DropoutBlocks(size_t count);

// In place: x[i] becomes 0 with probability `rate`, to the nearest of 65,536 steps, and is divided by 1 - rate
// otherwise. Element i's fate depends on the generator's seed and stream, on `first_block` and i alone. 0 <= rate < 1.
void DropoutElements(const Random& random, uint64_t first_block, float rate, float* x, size_t count, ThreadPool& pool);
void DropoutElementsNaive(const Random& random, uint64_t first_block, float rate, float* x, size_t count);

}  // namespace qkv
