// The number format that training rounds the operands of products to. Sums, weights and all the rest are floats.
#pragma once

#include <cstdint>

namespace qkv {

enum class Precision : uint8_t { kFloat, kBf16 };

}  // namespace qkv
