// Intel's AMX: eight registers, each a tile of 16 rows of 64 bytes, and products of tiles.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__linux__)
#define QKV_AMX 1
#else
#define QKV_AMX 0
#endif

namespace qkv {

// Bits of cpuid's leaf 7, register edx.
enum class TileProducts : uint32_t { kBf16 = 1u << 22, kInt8 = 1u << 25 };

// Whether the processor has tiles and these products of them, and Linux lets this process use them.
bool HasTiles(TileProducts products);

// What a thread's tiles are: the operand of `ldtilecfg`. A tile of 0 rows and 0 bytes is not used.
struct TileConfig {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t bytes[16] = {};  // of a row
  uint8_t rows[16] = {};
};

}  // namespace qkv
