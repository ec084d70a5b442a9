#include "core/kernels/int8_tiles.h"

#include <algorithm>

#include "core/kernels/amx.h"

#if QKV_AMX
#include <immintrin.h>
#endif

namespace qkv {

#if QKV_AMX
namespace {

#define QKV_AMX_INT8 __attribute__((target("amx-tile,amx-int8")))

constexpr size_t kRows = 16, kBytes = 64;  // of a tile

// Tiles 0 and 1 hold the sums of the first 16 rows, 2 and 3 those of the other rows; 4 and 5 the rows of x; 6 and 7
// weights of the two panels: 16 groups of 4 inputs, each with 16 outputs side by side, as they lie in memory.
QKV_AMX_INT8 void Configure(size_t rows) {
  const auto low = static_cast<uint8_t>(std::min(rows, kRows)), high = static_cast<uint8_t>(rows - low);
  TileConfig config;
  const uint8_t rows_of[8] = {low, low, high, high, low, high, kRows, kRows};
  for (size_t t = 0; t < 8; ++t) {
    config.rows[t] = rows_of[t];
    config.bytes[t] = rows_of[t] > 0 ? kBytes : 0;
  }
  _tile_loadconfig(&config);
}

}  // namespace

bool HasInt8Tiles() {
  static const bool has = HasTiles(TileProducts::kInt8);
  return has;
}

QKV_AMX_INT8 Int8Tiles::~Int8Tiles() {
  if (rows_ > 0) _tile_release();
}

QKV_AMX_INT8 void Int8Tiles::Multiply(const uint8_t* x, size_t stride, size_t rows, const int8_t* first,
                                      const int8_t* second, size_t inputs, int32_t* sums) {
  if (rows != rows_) Configure(rows);
  rows_ = rows;
  constexpr size_t kSumBytes = kTileOutputs * sizeof(int32_t);
  _tile_zero(0);
  _tile_zero(1);
  // Up to 16 rows need half of the registers.
  if (rows <= kRows) {
    for (size_t i = 0; i < inputs; i += kTileInputs) {
      _tile_loadd(4, x + i, stride);
      _tile_loadd(6, first + i * kPanel, kBytes);
      _tile_loadd(7, second + i * kPanel, kBytes);
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
    }
  } else {
    const uint8_t* const below = x + kRows * stride;
    _tile_zero(2);
    _tile_zero(3);
    for (size_t i = 0; i < inputs; i += kTileInputs) {
      _tile_loadd(4, x + i, stride);
      _tile_loadd(5, below + i, stride);
      _tile_loadd(6, first + i * kPanel, kBytes);
      _tile_loadd(7, second + i * kPanel, kBytes);
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
    }
    _tile_stored(2, sums + kRows * kTileOutputs, kSumBytes);
    _tile_stored(3, sums + kRows * kTileOutputs + kPanel, kSumBytes);
  }
  _tile_stored(0, sums, kSumBytes);
  _tile_stored(1, sums + kPanel, kSumBytes);
}

#else

bool HasInt8Tiles() { return false; }
Int8Tiles::~Int8Tiles() = default;
void Int8Tiles::Multiply(const uint8_t*, size_t, size_t, const int8_t*, const int8_t*, size_t, int32_t*) {}

#endif

}  // namespace qkv
