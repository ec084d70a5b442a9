// Intel's AMX. It has eight registers, the tiles. Each tile has 16 rows of 64 bytes. AMX multiplies tiles.
#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__linux__)
#define QKV_AMX 1
#else
#define QKV_AMX 0
#endif

namespace qkv {

// The kinds of products. A processor has one if this bit is set in register edx of cpuid leaf 7.
enum class TileProducts : uint32_t { kBf16 = 1u << 22, kInt8 = 1u << 25 };

// Returns true if the processor has tiles and this kind of products, and Linux allows this process to use them.
bool HasTiles(TileProducts products);

// The sizes of the tiles, as the instruction `ldtilecfg` reads them. Each thread has its own. An unused tile has 0 rows
// and 0 bytes.
struct TileConfig {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t bytes[16] = {};  // of a row
  uint8_t rows[16] = {};
};

}  // namespace qkv
