// What learning rounds the operands of products to; sums, weights and everything else are floats.
#pragma once

#include <cstdint>

namespace qkv {

enum class Precision : uint8_t { kFloat, kBf16 };

}  // namespace qkv
