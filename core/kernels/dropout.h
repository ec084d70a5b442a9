// Dropout from a counter-based generator: the backward computes the same mask again, so no mask is stored.
#pragma once

#include <cstddef>

#include "core/base/random.h"
#include "core/base/threads.h"

namespace qkv {

// Blocks of random numbers that `count` elements use.
size_t DropoutBlocks(size_t count);

// In place: x[i] becomes 0 with probability `rate`, to the nearest of 65,536 steps, and is divided by 1 - rate
// otherwise. The result for element i depends only on the generator's seed and stream, `first_block` and i.
// 0 <= rate < 1.
void DropoutElements(const Random& random, uint64_t first_block, float rate, float* x, size_t count, ThreadPool& pool);
void DropoutElementsNaive(const Random& random, uint64_t first_block, float rate, float* x, size_t count);

}  // namespace qkv
