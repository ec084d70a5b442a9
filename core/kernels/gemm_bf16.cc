#include "core/kernels/gemm_bf16.h"

#include <algorithm>
#include <cstdint>

#include "core/base/round_up.h"
#include "core/kernels/amx.h"

#if QKV_AMX
#include <immintrin.h>
#endif

namespace qkv {

#if QKV_AMX
namespace {

// A tile has 16 rows of 64 bytes. A tile of a has 16 rows and 32 columns of a. A tile of b has 32 rows and 16 columns
// of b; its row i holds rows 2i and 2i + 1 of b, one value of each in turn. A tile of y has 16 x 16 floats.
constexpr size_t kRows = 16, kDeep = 32;
constexpr size_t kTileSize = kRows * kDeep;  // bfloat16s
// A block of b has at most kDepth rows. It has as many columns as fit in kBlock bfloat16s, which is half of a
// second-level cache of 2 MB. All rows of a are multiplied by one block before the next block.
constexpr size_t kDepth = 1024, kBlock = size_t{1} << 19;
// b is converted to tiles in pieces of this size. A piece fits in the first-level cache.
constexpr size_t kSomePanels = 4, kSomeRows = 96;

size_t Tiles(size_t size, size_t step) { return (size + step - 1) / step; }

#define QKV_AMX_BF16 __attribute__((target("amx-tile,amx-bf16")))
#define QKV_AVX512 __attribute__((target("avx512f,avx512bw,avx512bf16")))

// The first `count` of 16 floats, and zeros.
QKV_AVX512 __m512 Load(const float* from, size_t count) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(count < 16 ? (1u << count) - 1 : 0xffffu), from);
}

// Sixteen pairs of bfloat16s, the first of each from `even`.
QKV_AVX512 __m512i Pairs(__m512 even, __m512 odd) {
  const __m512i low = _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(even)));
  const __m512i high = _mm512_cvtepu16_epi32(reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(odd)));
  return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

// Lane j of row i becomes lane i of row j, in blocks that double: of one lane, of two, of four, of eight.
QKV_AVX512 void Transpose(__m512i (&x)[16]) {
  __m512i t[16], u[16];
  for (size_t i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
  }
  for (size_t i = 0; i < 16; i += 4) {
    u[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    u[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    u[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    u[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (size_t c = 0; c < 4; ++c) {
    const __m512i even0 = _mm512_shuffle_i32x4(u[c], u[4 + c], 0x88), odd0 = _mm512_shuffle_i32x4(u[c], u[4 + c], 0xdd);
    const __m512i even1 = _mm512_shuffle_i32x4(u[8 + c], u[12 + c], 0x88);
    const __m512i odd1 = _mm512_shuffle_i32x4(u[8 + c], u[12 + c], 0xdd);
    x[c] = _mm512_shuffle_i32x4(even0, even1, 0x88);
    x[4 + c] = _mm512_shuffle_i32x4(odd0, odd1, 0x88);
    x[8 + c] = _mm512_shuffle_i32x4(even0, even1, 0xdd);
    x[12 + c] = _mm512_shuffle_i32x4(odd0, odd1, 0xdd);
  }
}

// Rows [row, row + 16) of a, columns [k0, k1), as tiles.
QKV_AVX512 void RowsToTiles(Factor a, size_t m, size_t row, size_t k0, size_t k1, uint16_t* to) {
  const size_t rows = std::min(kRows, m - row);
  for (size_t k = k0; k < k1; k += kDeep, to += kTileSize) {
    const size_t depth = std::min(kDeep, k1 - k);
    __m512i tile[kRows];
    if (a.transposed) {
      const auto row_of = [&](size_t i) QKV_AVX512 {
        return i < depth ? Load(a.data + (k + i) * a.stride + row, rows) : _mm512_setzero_ps();
      };
      for (size_t i = 0; i < kRows; ++i) tile[i] = Pairs(row_of(2 * i), row_of(2 * i + 1));
      Transpose(tile);
    } else {
      const size_t low = std::min(depth, kDeep / 2), high = depth - low;
      for (size_t r = 0; r < kRows; ++r) {
        const float* from = a.data + (row + r) * a.stride + k;
        tile[r] = r >= rows ? _mm512_setzero_si512()
                            : reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(Load(from + low, high), Load(from, low)));
      }
    }
    for (size_t r = 0; r < kRows; ++r) _mm512_storeu_si512(to + r * kDeep, tile[r]);
  }
}

// A panel [depth, kPanel] as tiles.
QKV_AVX512 void PanelToTiles(const float* panel, size_t depth, uint16_t* to) {
  static_assert(kPanel == kRows);
  for (size_t k = 0; k < RoundUp(depth, kDeep); k += 2, to += 2 * kPanel) {
    const auto row_of = [&](size_t i)
                            QKV_AVX512 { return Load(panel + std::min(i, depth) * kPanel, i < depth ? kPanel : 0); };
    _mm512_storeu_si512(to, Pairs(row_of(k), row_of(k + 1)));
  }
}

// A tile of y: in place, or a copy at the edge of y.
class Corner {
 public:
  Corner(const Result2d& y, size_t m, size_t n, size_t row, size_t column)
      : to_(y.data + row * y.stride + column / kPanel * y.panel_stride),
        stride_(y.stride),
        rows_(std::min(kRows, m - std::min(row, m))),
        columns_(std::min(kPanel, n - std::min(column, n))) {
    if (!whole() && rows_ > 0) std::fill_n(edge_, kRows * kPanel, 0.0f);
  }

  float* data() { return whole() ? to_ : edge_; }
  size_t bytes() const { return (whole() ? stride_ : kPanel) * sizeof(float); }
  void Begin() {
    if (!whole()) Copy(to_, stride_, edge_, kPanel);
  }
  void End() {
    if (!whole()) Copy(edge_, kPanel, to_, stride_);
  }

 private:
  bool whole() const { return rows_ == kRows && columns_ == kPanel; }
  void Copy(const float* from, size_t from_stride, float* to, size_t to_stride) const {
    for (size_t r = 0; r < rows_; ++r) std::copy_n(from + r * from_stride, columns_, to + r * to_stride);
  }

  float* to_;
  size_t stride_, rows_, columns_;
  float edge_[kRows * kPanel];
};

// Computes 32 x 32 elements of y, which are four tiles. a[0] and a[1] have the tiles of 16 rows of a each, b[0] and
// b[1] those of 16 columns of b each: `steps` tiles one after another. If `add` is true, the products are added to y,
// and `bias` is not used. If not, `bias` has 32 values, one for each column, or is null.
QKV_AMX_BF16 void Corners(const uint16_t* const (&a)[2], const uint16_t* const (&b)[2], size_t steps, bool add,
                          const float* bias, Corner (&y)[2][2]) {
  // Tile registers 0 to 3 hold the sums. They start with y, with the bias in each row, or with zeros.
  if (add) {
    for (auto& row : y) {
      for (Corner& each : row) each.Begin();
    }
    _tile_loadd(0, y[0][0].data(), y[0][0].bytes());
    _tile_loadd(1, y[0][1].data(), y[0][1].bytes());
    _tile_loadd(2, y[1][0].data(), y[1][0].bytes());
    _tile_loadd(3, y[1][1].data(), y[1][1].bytes());
  } else if (bias != nullptr) {
    _tile_loadd(0, bias, 0);
    _tile_loadd(1, bias + kPanel, 0);
    _tile_loadd(2, bias, 0);
    _tile_loadd(3, bias + kPanel, 0);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  // Registers 4 to 7 hold two tiles of a and two of b, for four products a step.
  constexpr size_t kBytes = kDeep * sizeof(uint16_t);
  for (size_t s = 0; s < steps; ++s) {
    const size_t at = s * kTileSize;
    _tile_loadd(4, a[0] + at, kBytes);
    _tile_loadd(5, a[1] + at, kBytes);
    _tile_loadd(6, b[0] + at, kBytes);
    _tile_loadd(7, b[1] + at, kBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  // The sums go back to y.
  _tile_stored(0, y[0][0].data(), y[0][0].bytes());
  _tile_stored(1, y[0][1].data(), y[0][1].bytes());
  _tile_stored(2, y[1][0].data(), y[1][0].bytes());
  _tile_stored(3, y[1][1].data(), y[1][1].bytes());
  for (auto& row : y) {
    for (Corner& each : row) each.End();
  }
}

// A part of b: its rows from k0 to k1 - 1 and its columns from n0 to n1 - 1. `tiles` has the tiles of
// this part.
struct Block {
  size_t k0, k1, n0, n1;
  uint16_t* tiles;

  size_t steps() const { return Tiles(k1 - k0, kDeep); }
  size_t panels() const { return Tiles(n1 - n0, kPanel); }
  uint16_t* Panel(size_t p) const { return tiles + p * steps() * kTileSize; }
};

// Converts the panels [begin, end) of a block of b to tiles. `floats` is scratch memory.
void BlockToTiles(const Block& block, PackBlock b, size_t begin, size_t end, float* floats) {
  for (size_t p = begin; p < end; p += kSomePanels) {
    const size_t panels = std::min(kSomePanels, end - p), column = block.n0 + p * kPanel;
    for (size_t k0 = block.k0; k0 < block.k1; k0 += kSomeRows) {
      const size_t k1 = std::min(block.k1, k0 + kSomeRows), depth = k1 - k0;
      b(k0, k1, column, std::min(block.n1, column + panels * kPanel), floats);
      for (size_t i = 0; i < panels; ++i) {
        PanelToTiles(floats + i * depth * kPanel, depth, block.Panel(p + i) + (k0 - block.k0) * kPanel);
      }
    }
  }
}

// Computes rows [begin, end) of y for one block of b, 32 rows at a time. For each 32 rows it first converts the rows of
// a to tiles, in the memory at `pair`, and then uses these tiles at once, while they are in the cache. `bias` is null
// or has one value for each column of y. After these values it has zeros, so that its size is a multiple of 2 * kPanel.
QKV_AMX_BF16 void Rows(size_t m, const Block& block, Factor a, const float* bias, const Result2d& y, size_t begin,
                       size_t end, uint16_t* pair) {
  TileConfig config;
  for (size_t t = 0; t < 8; ++t) {
    config.rows[t] = kRows;
    config.bytes[t] = kDeep * sizeof(uint16_t);
  }
  _tile_loadconfig(&config);
  const size_t steps = block.steps(), panels = block.panels();
  for (size_t row = begin; row < end; row += 2 * kRows) {
    // If 16 or fewer rows are left, the second row of tiles is the first one again. Its results are not used.
    const bool two = row + kRows < m;
    RowsToTiles(a, m, row, block.k0, block.k1, pair);
    if (two) RowsToTiles(a, m, row + kRows, block.k0, block.k1, pair + steps * kTileSize);
    const uint16_t* const of_a[] = {pair, two ? pair + steps * kTileSize : pair};
    for (size_t p = 0; p < panels; p += 2) {
      // If the number of panels is odd, q is equal to p in the last step. The results for q are not used there.
      const size_t q = std::min(p + 1, panels - 1), column = block.n0 + p * kPanel;
      const uint16_t* const of_b[] = {block.Panel(p), block.Panel(q)};
      Corner corners[2][2] = {{{y, m, block.n1, row, column}, {y, m, block.n1, row, column + kPanel}},
                              {{y, m, block.n1, row + kRows, column}, {y, m, block.n1, row + kRows, column + kPanel}}};
      Corners(of_a, of_b, steps, y.add, bias != nullptr ? bias + column : nullptr, corners);
    }
  }
  _tile_release();
}

bool Permitted() {
  return HasTiles(TileProducts::kBf16) && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw");
}

}  // namespace

bool HasBf16() {
  static const bool permitted = Permitted();
  return permitted;
}

void MultiplyBf16(size_t m, size_t n, size_t k, Factor a, PackBlock b, const float* bias, const Result2d& y,
                  Arena& arena, ThreadPool& pool) {
  const ArenaScope scope(arena);
  // Memory for the work. All threads share the tiles of one block of b (`tiles`) and the bias with zeros after it. Each
  // thread has its own floats for a piece of b (`some`) and its own tiles of 32 rows of a (`pairs`).
  const size_t threads = pool.size(), depth = std::min(RoundUp(k, kDeep), kDepth);
  const size_t wide = std::min(kBlock / depth / (2 * kPanel) * (2 * kPanel), RoundUp(n, kPanel));
  const auto halves = [&](size_t count) { return reinterpret_cast<uint16_t*>(arena.Floats(count / 2)); };
  constexpr size_t kSome = kSomePanels * kPanel * kSomeRows;
  const size_t pair = depth * 2 * kRows;
  uint16_t* tiles = halves(depth * wide);
  float* some = arena.Floats(threads * kSome);
  uint16_t* pairs = halves(threads * pair);
  if (bias != nullptr) {
    float* padded = arena.Floats(RoundUp(n, 2 * kPanel));
    std::fill(std::copy_n(bias, n, padded), padded + RoundUp(n, 2 * kPanel), 0.0f);
    bias = padded;
  }
  for (size_t n0 = 0; n0 < n; n0 += wide) {
    for (size_t k0 = 0; k0 < k; k0 += depth) {
      const Block block{k0, std::min(k, k0 + depth), n0, std::min(n, n0 + wide), tiles};
      // The threads share the panels of b, which become tiles.
      const size_t share = Tiles(block.panels(), threads);
      pool.For(block.panels(), share,
               [&](size_t begin, size_t end) { BlockToTiles(block, b, begin, end, some + begin / share * kSome); });
      // Then they share the rows of y. The order of summation does not depend on the number of threads.
      Result2d to = y;
      to.add = y.add || k0 > 0;
      const size_t grain = RoundUp(Tiles(m, threads), 2 * kRows);
      pool.For(m, grain, [&](size_t begin, size_t end) {
        Rows(m, block, a, bias, to, begin, end, pairs + begin / grain * pair);
      });
    }
  }
}

#else

bool HasBf16() { return false; }
void MultiplyBf16(size_t, size_t, size_t, Factor, PackBlock, const float*, const Result2d&, Arena&, ThreadPool&) {}

#endif

}  // namespace qkv
