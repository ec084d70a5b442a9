#include "core/kernels/gemm_bf16.h"

#include <algorithm>
#include <cstdint>

#include "core/kernels/amx.h"

#if QKV_AMX
#include <immintrin.h>
#endif

namespace qkv {

#if QKV_AMX
namespace {

// A tile is 16 rows of 64 bytes: 16 x 32 of a; of b 16 pairs of k, each side by side, by 16 columns; 16 x 16 floats of
// y.
constexpr size_t kRows = 16, kDeep = 32;
constexpr size_t kTileSize = kRows * kDeep;  // bfloat16s
// The part of k that is converted to tiles at a time: all of it for a, and for b as much as fits the second-level cache
// with kWidth columns.
constexpr size_t kDepthOfA = 1536, kDepth = 384, kWidth = 128;

size_t RoundUp(size_t size, size_t step) { return (size + step - 1) / step * step; }
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

// y's 32 x 32 at (row, column), of `steps` tiles of each of two rows of a's tiles and two columns of b's.
QKV_AMX_BF16 void Corners(const uint16_t* const (&a)[2], const uint16_t* const (&b)[2], size_t steps, bool add,
                          Corner (&y)[2][2]) {
  // Tile registers 0 to 3 hold the sums: from y, or zeros.
  if (add) {
    for (auto& row : y) {
      for (Corner& each : row) each.Begin();
    }
    _tile_loadd(0, y[0][0].data(), y[0][0].bytes());
    _tile_loadd(1, y[0][1].data(), y[0][1].bytes());
    _tile_loadd(2, y[1][0].data(), y[1][0].bytes());
    _tile_loadd(3, y[1][1].data(), y[1][1].bytes());
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

// Columns [begin, end) of y for one part of k: its tiles of a are at `a`, and k0 is its first index.
QKV_AMX_BF16 void Columns(size_t m, size_t k0, size_t k1, const uint16_t* a, PackBlock b, const Result2d& y,
                          size_t begin, size_t end, float* floats, uint16_t* tiles) {
  TileConfig config;
  for (size_t t = 0; t < 8; ++t) {
    config.rows[t] = kRows;
    config.bytes[t] = kDeep * sizeof(uint16_t);
  }
  _tile_loadconfig(&config);
  const size_t row_of_a = Tiles(k1 - k0, kDeep) * kTileSize;
  for (size_t n0 = begin; n0 < end; n0 += kWidth) {
    const size_t n1 = std::min(n0 + kWidth, end);
    for (size_t k = k0; k < k1; k += kDepth) {
      const size_t depth = std::min(kDepth, k1 - k), steps = Tiles(depth, kDeep);
      b(k, k + depth, n0, n1, floats);
      const size_t panels = Tiles(n1 - n0, kPanel);
      for (size_t p = 0; p < panels; ++p)
        PanelToTiles(floats + p * depth * kPanel, depth, tiles + p * steps * kTileSize);
      // The outer loop is over a, because two rows of its tiles fit the first-level cache. The panels of b are in the
      // second-level cache.
      for (size_t row = 0; row < m; row += 2 * kRows) {
        const uint16_t* first = a + row / kRows * row_of_a + (k - k0) / kDeep * kTileSize;
        const uint16_t* const of_a[] = {first, row + kRows < m ? first + row_of_a : first};
        for (size_t p = 0; p < panels; p += 2) {
          // If the number of panels is odd, the last panel is computed twice. The second result is not used.
          const size_t q = std::min(p + 1, panels - 1), column = n0 + p * kPanel;
          const uint16_t* const of_b[] = {tiles + p * steps * kTileSize, tiles + q * steps * kTileSize};
          Corner corners[2][2] = {{{y, m, n1, row, column}, {y, m, n1, row, column + kPanel}},
                                  {{y, m, n1, row + kRows, column}, {y, m, n1, row + kRows, column + kPanel}}};
          Corners(of_a, of_b, steps, y.add || k > 0, corners);
        }
      }
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

void MultiplyBf16(size_t m, size_t n, size_t k, Factor a, PackBlock b, const Result2d& y, Arena& arena,
                  ThreadPool& pool) {
  const ArenaScope scope(arena);
  const size_t threads = pool.size(), deep = RoundUp(std::min(k, kDepthOfA), kDeep),
               wide = std::min(kWidth, RoundUp(n, kPanel));
  // Scratch: all tiles of a, and for each thread a block of b as floats and as tiles.
  const auto halves = [&](size_t count) { return reinterpret_cast<uint16_t*>(arena.Floats(count / 2)); };
  uint16_t* of_a = halves(RoundUp(m, kRows) * deep);
  const size_t block = std::min(kDepth, deep) * wide;
  float* floats = arena.Floats(block * threads);
  uint16_t* of_b = halves(block * threads);
  for (size_t k0 = 0; k0 < k; k0 += kDepthOfA) {
    const size_t k1 = std::min(k, k0 + kDepthOfA), row = Tiles(k1 - k0, kDeep) * kTileSize;
    // The threads share the rows of a, which become tiles.
    pool.For(Tiles(m, kRows), 4, [&](size_t begin, size_t end) {
      for (size_t t = begin; t < end; ++t) RowsToTiles(a, m, t * kRows, k0, k1, of_a + t * row);
    });
    // Each thread computes whole columns of y, so every element has one order of summation.
    Result2d to = y;
    to.add = y.add || k0 > 0;
    const size_t grain = RoundUp((n + threads - 1) / threads, 2 * kPanel);
    pool.For(n, grain, [&](size_t begin, size_t end) {
      const size_t thread = begin / grain;
      Columns(m, k0, k1, of_a, b, to, begin, end, floats + thread * block, of_b + thread * block);
    });
  }
}

#else

bool HasBf16() { return false; }
void MultiplyBf16(size_t, size_t, size_t, Factor, PackBlock, const Result2d&, Arena&, ThreadPool&) {}

#endif

}  // namespace qkv
