// Sizes that must be a multiple of something.
#pragma once

#include <cstddef>

namespace qkv {

// The least multiple of `step` that is not below `size`. `step` is above 0.
constexpr size_t RoundUp(size_t size, size_t step) { return (size + step - 1) / step * step; }

}  // namespace qkv
