#include "core/kernels/matmul_int8.h"

#include <algorithm>
#include <cassert>

#include "core/kernels/amx.h"
#include "core/kernels/int8_tiles.h"
#include "core/kernels/packed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/matmul_int8.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/activation-inl.h"
#include "core/kernels/int8-inl.h"
#include "core/kernels/tiles-inl.h"

#ifndef QKV_KERNELS_MATMUL_INT8_SHAPES_
#define QKV_KERNELS_MATMUL_INT8_SHAPES_

// Sums start at zero. For WebAssembly LLVM turns this into a memset and then into a loop over bytes, which takes a
// tenth of the time of a tile of twelve sums.
#ifdef __EMSCRIPTEN__
#define QKV_NO_MEMSET __attribute__((no_builtin("memset")))
#else
#define QKV_NO_MEMSET
#endif

namespace qkv {
// The arguments of the kernels.
struct Int8Product {
  QuantizedRows x;
  const int8_t* w = nullptr;
  size_t w_stride = 0;  // bytes between two panels or rows
  const float* scales = nullptr;
  const int32_t* sums = nullptr;
  size_t inputs = 0, outputs = 0;
  const int32_t* pieces = nullptr;  // [outputs] rows of a table; null: all, in order
  const float* bias = nullptr;
  Activation activation = Activation::kNone;
  float* y = nullptr;
};
}  // namespace qkv
#endif

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

using OutTag = hn::RebindToFloat<SumTag>;
using OutVector = hn::Vec<OutTag>;

// The last outputs of a row, fewer than a vector. Not inlined: every tile would have a copy, and few tiles need it.
HWY_NOINLINE __attribute__((minsize)) void StoreEdge(const Int8Product& p, size_t row, size_t column, OutVector y) {
  const OutTag d;
  const size_t width = p.outputs - column;
  if (p.bias != nullptr) y = hn::Add(y, hn::LoadN(d, p.bias + column, width));
  if (p.activation == Activation::kRelu) y = Relu(d, y);
  hn::StoreN(y, d, p.y + row * p.outputs + column, width);
}

// y[row, column...] for one vector of outputs; at the end, for those that exist.
HWY_INLINE void StoreOutputs(const Int8Product& p, size_t row, size_t column, SumVector sum) {
  const OutTag d;
  OutVector y = Dequantize(d, sum, p.x.zeros[row], hn::LoadU(SumTag(), p.sums + column), p.x.scales[row],
                           hn::LoadU(d, p.scales + column));
  if (p.outputs - column < kSumLanes) return StoreEdge(p, row, column, y);
  if (p.bias != nullptr) y = hn::Add(y, hn::LoadU(d, p.bias + column));
  if (p.activation == Activation::kRelu) y = Relu(d, y);
  hn::StoreU(y, d, p.y + row * p.outputs + column);
}

template <class Dot>
struct Int8Kernel {
  static constexpr size_t kLanes = kSumLanes;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  static constexpr size_t kRows = 8, kVectors = 3;  // 24 of 32 registers
#else
  static constexpr size_t kRows = Dot::kIsOneInstruction ? 6 : 4,
                          kVectors = 2;  // the two-step form needs more registers
#endif
  // For one row as many vectors as hide the latency of the instruction. Two steps in WebAssembly only wait for
  // additions: there one panel is faster, which is read in order.
  static constexpr bool kOnePanel = HWY_ARCH_WASM && !Dot::kIsOneInstruction;
  static constexpr size_t kRowVectors = kPanel == kLanes || kOnePanel ? 4 : 8;
  static constexpr size_t kBlockInputs = 131072;

  // y[row + r, column + c] for r < rows, c < vectors kLanes.
  template <size_t rows, size_t vectors>
  static HWY_NOINLINE QKV_NO_MEMSET void Tile(const Int8Product& p, size_t row, size_t column) {
    constexpr size_t kPanelVectors = kPanel / kLanes;
    const size_t x_stride = p.x.stride, w_stride = p.w_stride;
    const QuantizedActivation* HWY_RESTRICT x = p.x.data + row * x_stride;
    const int8_t* HWY_RESTRICT w = p.w + column / kPanel * w_stride + column % kPanel * kInt8Group;
    // Sums are integers, so their order does not matter.
    SumVector sum[rows][vectors];
    for (size_t r = 0; r < rows; ++r) {
      for (size_t v = 0; v < vectors; ++v) sum[r][v] = hn::Zero(SumTag());
    }
    // Pointers instead of an index: computing an address takes instructions of its own in WebAssembly.
    const QuantizedActivation* const stop = x + (p.inputs + kInt8Group - 1) / kInt8Group * kInt8Group;
    for (; x != stop; x += kInt8Group, w += kPanel * kInt8Group) {
      Int8Weights b[vectors];
      for (size_t v = 0; v < vectors; ++v) {
        b[v] = LoadWeights(w + v / kPanelVectors * w_stride + v % kPanelVectors * kLanes * kInt8Group);
      }
      for (size_t r = 0; r < rows; ++r) {
        const Int8Activations a = SpreadActivations(x + r * x_stride);
        for (size_t v = 0; v < vectors; ++v) sum[r][v] = Dot::Add(sum[r][v], a, b[v]);
      }
    }
    // Scales, zero points, bias and activation.
    for (size_t v = 0; v < vectors && column + v * kLanes < p.outputs; ++v) {
      for (size_t r = 0; r < rows; ++r) StoreOutputs(p, row + r, column + v * kLanes, sum[r][v]);
    }
  }
};

#if QKV_AMX && HWY_TARGET == HWY_AVX3_DL

// A tile has 16 rows. With fewer than half of them the vectors compute the product.
constexpr size_t kFewestTileRows = 8;

// Computes rows [row_begin, row_end) of columns [begin, end). The outer loop is over pairs of panels, the inner one
// over rows.
HWY_NOINLINE void TileColumns(const Int8Product& p, Int8Tiles& tiles, size_t row_begin, size_t row_end, size_t begin,
                              size_t end) {
  static_assert(kSumLanes == kPanel);
  HWY_ALIGN int32_t sums[kTileRows * kTileOutputs];
  for (size_t column = begin; column < end; column += kTileOutputs) {
    // Multiply() takes two panels. If only one panel is left, both arguments are this panel. Then the second half of
    // the result is not used.
    const int8_t* const w = p.w + column / kPanel * p.w_stride;
    const size_t panels = column + kPanel < end ? 2 : 1;
    for (size_t row = row_begin; row < row_end; row += kTileRows) {
      const size_t rows = HWY_MIN(kTileRows, row_end - row);
      tiles.Multiply(p.x.data + row * p.x.stride, p.x.stride, rows, w, w + (panels - 1) * p.w_stride, p.inputs, sums);
      for (size_t v = 0; v < panels; ++v) {
        for (size_t r = 0; r < rows; ++r) {
          StoreOutputs(p, row + r, column + v * kPanel, hn::Load(SumTag(), sums + r * kTileOutputs + v * kPanel));
        }
      }
    }
  }
}

// A block of rows fits half of a small second-level cache. The rows that do not fill a tile are computed at the end.
// They need a new configuration of the registers, and a configuration is slow, so it changes only once.
void PartByTiles(const Int8Product& p, size_t row_begin, size_t row_end, size_t begin, size_t end) {
  Int8Tiles tiles;
  end = HWY_MIN(end, p.outputs);
  const size_t block = HWY_MAX(Int8Kernel<Dot>::kBlockInputs / p.inputs / kTileRows, size_t{1}) * kTileRows;
  const size_t whole = row_end - (row_end - row_begin) % kTileRows;
  for (size_t row = row_begin; row < whole; row += block) {
    TileColumns(p, tiles, row, HWY_MIN(row + block, whole), begin, end);
  }
  if (whole < row_end) TileColumns(p, tiles, whole, row_end, begin, end);
}

// Whether a product of so many rows is computed by tiles.
bool ByTiles(const Int8Product& p, size_t rows) {
  return rows >= kFewestTileRows && p.inputs > 0 && p.inputs % kTileInputs == 0 && HasInt8Tiles();
}

#else

void PartByTiles(const Int8Product&, size_t, size_t, size_t, size_t) {}
constexpr bool ByTiles(const Int8Product&, size_t) { return false; }

#endif

// Rows [row_begin, row_end) of columns [begin, end), multiples of kPanel.
void Int8Part(const Int8Product& p, size_t row_begin, size_t row_end, size_t begin, size_t end) {
  if (ByTiles(p, row_end - row_begin)) {
    PartByTiles(p, row_begin, row_end, begin, end);
  } else {
    WithDot([&](auto dot) HWY_ATTR { Tiles<Int8Kernel<decltype(dot)>>::Part(p, row_begin, row_end, begin, end); });
  }
  if (p.activation > Activation::kRelu && begin < p.outputs) {
    for (size_t r = row_begin; r < row_end; ++r) {
      ActivateRun(p.activation, p.y + r * p.outputs + begin, HWY_MIN(end, p.outputs) - begin);
    }
  }
}

// Outputs of a table that are computed at once, and the largest number of rows.
constexpr size_t kTableOutputs = 4;
constexpr size_t kTableRows = HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86 ? 4 : 2;
constexpr size_t kWeightsAtOnce = kSumLanes * kInt8Group;

// y[row + r, column + c] for r < rows, c < kTableOutputs, as many as there are.
template <class Dot, size_t rows>
HWY_NOINLINE void TableTile(const Int8Product& p, size_t row, size_t column) {
  const hn::FixedTag<float, kTableOutputs> d;
  const hn::FixedTag<int32_t, kTableOutputs> di;
  HWY_ALIGN int32_t sums[kTableOutputs];
  HWY_ALIGN float scales[kTableOutputs], biases[kTableOutputs];
  // The rows of the table, their sums, scales and biases. Past the last output the last row is read again.
  const int8_t* w[kTableOutputs];
  for (size_t c = 0; c < kTableOutputs; ++c) {
    const size_t at = HWY_MIN(column + c, p.outputs - 1);
    const size_t piece = p.pieces != nullptr ? static_cast<size_t>(p.pieces[at]) : at;
    w[c] = p.w + piece * p.w_stride;
    sums[c] = p.sums[piece];
    scales[c] = p.scales[piece];
    biases[c] = p.bias != nullptr ? p.bias[piece] : 0;
  }
  const QuantizedActivation* x = p.x.data + row * p.x.stride;
  // The integer products: each load of weights serves all rows of x, and each load of x all outputs.
  SumVector sum[rows][kTableOutputs];
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < kTableOutputs; ++c) sum[r][c] = hn::Zero(SumTag());
  }
  for (size_t i = 0; i < p.inputs; i += kWeightsAtOnce) {
    Int8Activations a[rows];
    for (size_t r = 0; r < rows; ++r) a[r] = LoadActivations(x + r * p.x.stride + i);
    for (size_t c = 0; c < kTableOutputs; ++c) {
      const Int8Weights b = LoadWeights(w[c] + i);
      for (size_t r = 0; r < rows; ++r) sum[r][c] = Dot::Add(sum[r][c], a[r], b);
    }
  }
  // Scales, biases and the results.
  const size_t width = HWY_MIN(p.outputs - column, kTableOutputs);
  for (size_t r = 0; r < rows; ++r) {
    const FourSums four = SumLanes(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
    const auto y =
        Dequantize(d, four, p.x.zeros[row + r], hn::Load(di, sums), p.x.scales[row + r], hn::Load(d, scales));
    hn::StoreN(hn::Add(y, hn::Load(d, biases)), d, p.y + (row + r) * p.outputs + column, width);
  }
}

template <class Dot, size_t most = kTableRows>
void TableRows(const Int8Product& p, size_t rows, size_t row, size_t column) {
  if (rows == most) return TableTile<Dot, most>(p, row, column);
  if constexpr (most > 1) TableRows<Dot, most - 1>(p, rows, row, column);
}

// Outputs [begin, end) of every row. There are few rows, so their x stays in the cache.
void TablePart(const Int8Product& p, size_t begin, size_t end) {
  WithDot([&](auto dot) HWY_ATTR {
    for (size_t column = begin; column < end; column += kTableOutputs) {
      for (size_t row = 0; row < p.x.rows; row += kTableRows) {
        TableRows<decltype(dot)>(p, HWY_MIN(kTableRows, p.x.rows - row), row, column);
      }
    }
  });
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(Int8Part);
HWY_EXPORT(TablePart);

namespace {

// Below this limit sharing costs more than it saves: natively a worker must be woken, which takes some microseconds; in
// a browser it spins for a while. Fewer than four rows take as long as four, because the weights must be read anyway.
#ifdef __EMSCRIPTEN__
constexpr size_t kWorthThreads = size_t{1} << 20;
#else
constexpr size_t kWorthThreads = size_t{1} << 22;
#endif

bool Worth(size_t rows, size_t inputs, size_t outputs) {
  return std::max<size_t>(rows, 4) * inputs * outputs >= kWorthThreads;
}

Int8Product Whole(const QuantizedRows& x, const QuantizedMatrix& w, const float* bias, MatrixView y) {
  assert(x.inputs == w.inputs() && static_cast<size_t>(y.rows()) == x.rows);
  Int8Product p;
  p.x = x;
  p.w = w.data();
  p.w_stride = w.stride();
  p.scales = w.scales();
  p.sums = w.sums();
  p.inputs = w.inputs();
  p.outputs = w.outputs();
  p.bias = bias;
  p.y = y.data();
  return p;
}

// Computes a product on all threads; the weights have the layout kPanels.
void SharePanels(const Int8Product& p, ThreadPool& pool) {
  const auto part = HWY_DYNAMIC_POINTER(Int8Part);
  const size_t rows = p.x.rows, columns = (p.outputs + kPanel - 1) / kPanel * kPanel;
  if (pool.size() == 1 || !Worth(rows, p.inputs, p.outputs)) return part(p, 0, rows, 0, columns);
  if (columns / kPanel >= 2 * pool.size()) {
    return pool.For(columns, 2 * kPanel, [&](size_t begin, size_t end) { part(p, 0, rows, begin, end); });
  }
  pool.For(rows, 8, [&](size_t begin, size_t end) { part(p, begin, end, 0, columns); });
}

// Computes a product on all threads; the weights have the layout kRows.
void ShareTable(const Int8Product& p, ThreadPool& pool) {
  const auto part = HWY_DYNAMIC_POINTER(TablePart);
  if (pool.size() == 1 || !Worth(p.x.rows, p.inputs, p.outputs)) return part(p, 0, p.outputs);
  pool.For(p.outputs, 64, [&](size_t begin, size_t end) { part(p, begin, end); });
}

}  // namespace

void MatMul(const QuantizedRows& x, const QuantizedMatrix& w, const float* bias, Activation activation, MatrixView y,
            ThreadPool& pool) {
  assert(w.layout() == Int8Layout::kPanels && static_cast<size_t>(y.cols()) == w.outputs());
  Int8Product p = Whole(x, w, bias, y);
  p.activation = activation;
  SharePanels(p, pool);
}

void MatMulRows(const QuantizedRows& x, const QuantizedMatrix& w, std::span<const int32_t> pieces, const float* bias,
                MatrixView y, ThreadPool& pool) {
  assert(w.layout() == Int8Layout::kRows && static_cast<size_t>(y.cols()) == pieces.size());
  Int8Product p = Whole(x, w, bias, y);
  p.pieces = pieces.data();
  p.outputs = pieces.size();
  ShareTable(p, pool);
}

void MatMulOutputs(const QuantizedRows& x, const QuantizedMatrix& w, size_t first, const float* bias, MatrixView y,
                   ThreadPool& pool) {
  assert(first % kPanel == 0 && first + static_cast<size_t>(y.cols()) <= w.outputs());
  Int8Product p = Whole(x, w, bias, y);
  p.scales += first;
  p.sums += first;
  if (bias != nullptr) p.bias += first;
  p.outputs = static_cast<size_t>(y.cols());
  if (w.layout() == Int8Layout::kPanels) {
    p.w += first / kPanel * p.w_stride;
    SharePanels(p, pool);
  } else {
    p.w += first * p.w_stride;
    ShareTable(p, pool);
  }
}

void MatMulNaive(const QuantizedRows& x, const QuantizedMatrix& w, const float* bias, Activation activation,
                 MatrixView y) {
  std::vector<int8_t> row(w.inputs());
  for (size_t o = 0; o < w.outputs(); ++o) {
    w.GetRow(o, row.data());
    for (size_t r = 0; r < x.rows; ++r) {
      int32_t sum = 0;
      for (size_t i = 0; i < w.inputs(); ++i) sum += (x.data[r * x.stride + i] - x.zeros[r]) * row[i];
      const float v = static_cast<float>(sum) * (x.scales[r] * w.scales()[o]);
      y(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(o)) = bias != nullptr ? v + bias[o] : v;
    }
  }
  ActivateNaive(activation, y);
}

}  // namespace qkv
#endif  // HWY_ONCE
