// Divides a product on panels into tiles that fit the registers and blocks that fit the caches, for floats and for
// int8.
#if defined(QKV_KERNELS_TILES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QKV_KERNELS_TILES_INL_H_
#undef QKV_KERNELS_TILES_INL_H_
#else
#define QKV_KERNELS_TILES_INL_H_
#endif

#include "core/kernels/packed.h"
#include "core/kernels/targets.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

// A Kernel says how many outputs one vector holds (kLanes), the rows and vectors of its largest tile (kRows, kVectors),
// the vectors of a tile of one row (kRowVectors), how many inputs of x fit half of a small second-level cache
// (kBlockInputs), and computes a tile:
// Tile<rows, vectors>(product, row, column) for columns that are a multiple of kLanes.
template <class Kernel>
struct Tiles {
  static constexpr size_t kPanelVectors = kPanel / Kernel::kLanes;

  // With few rows a tile has more vectors: enough independent sums to hide the latency of an addition.
  static constexpr size_t Vectors(size_t rows) {
    if (rows == 1) return Kernel::kRowVectors;
    if (rows == 2) return 4;
    return Kernel::kVectors;
  }

  // Tiles of `rows` rows over columns [begin, end), both multiples of kPanel; narrower tiles at the end.
  template <size_t rows, size_t vectors, class P>
  static void Columns(const P& p, size_t row, size_t begin, size_t end) {
    constexpr size_t kWidth = vectors * Kernel::kLanes;
    for (; begin + kWidth <= end && begin < p.outputs; begin += kWidth) {
      Kernel::template Tile<rows, vectors>(p, row, begin);
    }
    if constexpr (vectors > kPanelVectors) {
      if (begin < end) Columns<rows, vectors / 2>(p, row, begin, end);
    }
  }

  template <size_t most = Kernel::kRows, class P>
  static void Row(const P& p, size_t rows, size_t row, size_t begin, size_t end) {
    if (rows == most) return Columns<most, Vectors(most)>(p, row, begin, end);
    if constexpr (most > 1) Row<most - 1>(p, rows, row, begin, end);
  }

  // Rows [row_begin, row_end) of columns [begin, end), multiples of kPanel.
  template <class P>
  static void Part(const P& p, size_t row_begin, size_t row_end, size_t begin, size_t end) {
    // Rows are in blocks; columns in groups that stay in the first-level cache while all tiles of the block use them. A
    // single tile of rows reads the weights once, in order.
    const size_t tiles_per_block =
        HWY_MAX(Kernel::kBlockInputs / HWY_MAX(p.inputs, size_t{1}) / Kernel::kRows, size_t{1});
    const size_t tiles = (row_end - row_begin + Kernel::kRows - 1) / Kernel::kRows;
    const size_t group = tiles == 1 ? end - begin : kPanel * HWY_MAX(Kernel::kVectors / kPanelVectors, size_t{2});
    const size_t rows = row_end - row_begin;
    for (size_t t0 = 0; t0 < tiles; t0 += tiles_per_block) {
      const size_t t1 = HWY_MIN(t0 + tiles_per_block, tiles);
      for (size_t column = begin; column < end; column += group) {
        for (size_t t = t0; t < t1; ++t) {
          // Tiles of even height: 7 rows are 4 and 3, not 6 and 1.
          const size_t first = rows * t / tiles, last = rows * (t + 1) / tiles;
          Row(p, last - first, row_begin + first, column, HWY_MIN(column + group, end));
        }
      }
    }
  }
};

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
