#include "core/kernels/matmul.h"

#include <algorithm>
#include <cassert>

#include "core/base/trainable.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/matmul.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/activation-inl.h"
#include "core/kernels/relaxed-inl.h"
#include "core/kernels/tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

using TileTag = hn::CappedTag<float, kPanel>;
using TileVector = hn::Vec<TileTag>;
constexpr size_t kLanes = hn::MaxLanes(TileTag());
constexpr size_t kPanelVectors = kPanel / kLanes;

// Inputs that are summed in one chain; the sums of chains are added in order. The rounding error grows with the longest
// chain. Short chains cost one addition in 128.
constexpr size_t kChain = 128;

HWY_INLINE float* Output(const Product& p, size_t row, size_t column) {
  float* y = p.y + row * p.y_stride;
  if (!kTrainable) return y + column;
  return y + column / kPanel * p.y_panel_stride + column % kPanel;
}

// Small: few tiles are at the edge.
HWY_NOINLINE __attribute__((minsize)) void StoreEdge(const Product& p, const float* sums, size_t rows, size_t width,
                                                     size_t row, size_t column) {
  for (size_t r = 0; r < rows; ++r) {
    for (size_t c = 0; c < width && column + c < p.outputs; ++c) {
      float v = sums[r * width + c];
      if (p.bias != nullptr) v += p.bias[column + c];
      if (p.activation == Activation::kRelu && v < 0) v = 0;
      float* y = Output(p, row + r, column + c);
      if (kTrainable && p.add) v += *y;
      *y = v;
    }
  }
}

// y[row + r, column + c] for r < kRows, c < kVectors kLanes.
template <size_t kRows, size_t kVectors>
HWY_NOINLINE void Tile(const Product& p, size_t row, size_t column) {
  constexpr size_t kWidth = kVectors * kLanes;
  const TileTag d;
  const size_t inputs = p.inputs, x_stride = p.x_stride, stride = p.panel_stride;
  const float* HWY_RESTRICT x = p.x + row * x_stride;
  const float* HWY_RESTRICT w = p.w + column / kPanel * stride + column % kPanel;
  HWY_ALIGN float sums[kRows * kWidth];
  size_t begin = 0;
  // Chains of kChain inputs are summed in registers, and their sums are added up in memory.
  do {
    const size_t end = HWY_MIN(begin + kChain, inputs);
    TileVector sum[kRows][kVectors];
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
    }
    // Pointers instead of an index: computing an address takes instructions of its own in WebAssembly.
    const float* HWY_RESTRICT wk = w + begin * kPanel;
    for (const float *xk = x + begin, *const stop = x + end; xk != stop; ++xk, wk += kPanel) {
      TileVector b[kVectors];
      for (size_t v = 0; v < kVectors; ++v) {
        b[v] = hn::Load(d, wk + v / kPanelVectors * stride + v % kPanelVectors * kLanes);
      }
      for (size_t r = 0; r < kRows; ++r) {
        const TileVector a = hn::Set(d, xk[r * x_stride]);
        for (size_t v = 0; v < kVectors; ++v) sum[r][v] = RelaxedMulAdd(a, b[v], sum[r][v]);
      }
    }
    for (size_t r = 0; r < kRows; ++r) {
      for (size_t v = 0; v < kVectors; ++v) {
        float* at = sums + r * kWidth + v * kLanes;
        hn::Store(begin == 0 ? sum[r][v] : hn::Add(hn::Load(d, at), sum[r][v]), d, at);
      }
    }
    begin = end;
  } while (begin < inputs);
  // Bias, activation and the sum with what is in y. Tiles over the edge go the slow way.
  if (column + kWidth > p.outputs) return StoreEdge(p, sums, kRows, kWidth, row, column);
  for (size_t v = 0; v < kVectors; ++v) {
    const size_t c = column + v * kLanes;
    const TileVector bias = p.bias != nullptr ? hn::LoadU(d, p.bias + c) : hn::Zero(d);
    for (size_t r = 0; r < kRows; ++r) {
      TileVector y = hn::Load(d, sums + r * kWidth + v * kLanes);
      if (p.bias != nullptr) y = hn::Add(y, bias);
      if (p.activation == Activation::kRelu) y = Relu(d, y);
      float* to = Output(p, row + r, c);
      if (kTrainable && p.add) y = hn::Add(hn::LoadU(d, to), y);
      hn::StoreU(y, d, to);
    }
  }
}

// Rows of the largest tile, and its vectors of outputs: as many sums as fit the registers.
struct FloatKernel {
  static constexpr size_t kLanes = HWY_NAMESPACE::kLanes;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  static constexpr size_t kRows = 8, kVectors = 3;  // 24 of 32 registers
#elif HWY_ARCH_WASM && !defined(__wasm_relaxed_simd__)
  static constexpr size_t kRows = 4, kVectors = 2;  // products need registers too, and x64 engines have 15
#else
  static constexpr size_t kRows = 6, kVectors = 2;  // 12 of 16
#endif
  static constexpr size_t kRowVectors = kPanelVectors == 1 ? 4 : 8;
  static constexpr size_t kBlockInputs = 32768;

  template <size_t rows, size_t vectors>
  static void Tile(const Product& p, size_t row, size_t column) {
    HWY_NAMESPACE::Tile<rows, vectors>(p, row, column);
  }
};

// Rows [row_begin, row_end) of columns [begin, end), multiples of kPanel.
void ProductPart(const Product& p, size_t row_begin, size_t row_end, size_t begin, size_t end) {
  Tiles<FloatKernel>::Part(p, row_begin, row_end, begin, end);
  if (p.activation > Activation::kRelu && begin < p.outputs) {
    for (size_t r = row_begin; r < row_end; ++r) {
      ActivateRun(p.activation, p.y + r * p.y_stride + begin, HWY_MIN(end, p.outputs) - begin);
    }
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(ProductPart);

Product Whole(const PackedMatrix& w) {
  Product p;
  p.w = w.Panel(0);
  p.panel_stride = w.inputs() * kPanel;
  p.inputs = w.inputs();
  p.outputs = w.outputs();
  return p;
}

void Multiply(const Product& p, size_t rows) {
  HWY_DYNAMIC_DISPATCH(ProductPart)(p, 0, rows, 0, (p.outputs + kPanel - 1) / kPanel * kPanel);
}

namespace {

// Sets x and y of a product and computes it on all threads.
void Share(Product p, ConstMatrixView x, MatrixView y, ThreadPool& pool) {
  assert(static_cast<size_t>(x.cols()) == p.inputs && static_cast<size_t>(y.cols()) == p.outputs);
  assert(x.rows() == y.rows());
  const size_t rows = static_cast<size_t>(x.rows()), panels = (p.outputs + kPanel - 1) / kPanel;
  p.x = x.data();
  p.x_stride = p.inputs;
  p.y = y.data();
  p.y_stride = p.outputs;
  const auto part = HWY_DYNAMIC_POINTER(ProductPart);
  // Waking a worker takes some microseconds. Below this limit one thread needs less than about 40 for the whole
  // product. Fewer than four rows take as long as four, because the weights must be read anyway.
  constexpr size_t kWorthThreads = size_t{1} << 21;
  const bool worth = std::max<size_t>(rows, 4) * p.inputs * p.outputs >= kWorthThreads;
  if (pool.size() == 1 || !worth) return part(p, 0, rows, 0, panels * kPanel);
  if (panels >= 2 * pool.size()) {
    return pool.For(panels * kPanel, 2 * kPanel, [&](size_t begin, size_t end) { part(p, 0, rows, begin, end); });
  }
  pool.For(rows, 8, [&](size_t begin, size_t end) { part(p, begin, end, 0, panels * kPanel); });
}

}  // namespace

void MatMul(ConstMatrixView x, const PackedMatrix& w, const float* bias, Activation activation, MatrixView y,
            ThreadPool& pool) {
  Product p = Whole(w);
  p.bias = bias;
  p.activation = activation;
  Share(p, x, y, pool);
}

void MatMulOutputs(ConstMatrixView x, const PackedMatrix& w, size_t first, const float* bias, MatrixView y,
                   ThreadPool& pool) {
  assert(first % kPanel == 0 && first + static_cast<size_t>(y.cols()) <= w.outputs());
  Product p = Whole(w);
  p.w = w.Panel(first / kPanel);
  p.outputs = static_cast<size_t>(y.cols());
  p.bias = bias != nullptr ? bias + first : nullptr;
  Share(p, x, y, pool);
}

void MatMulNaive(ConstMatrixView x, const PackedMatrix& w, const float* bias, Activation activation, MatrixView y) {
  Vector row(static_cast<Eigen::Index>(w.inputs()));
  for (Eigen::Index o = 0; o < y.cols(); ++o) {
    w.GetRow(static_cast<size_t>(o), row.data());
    for (Eigen::Index r = 0; r < x.rows(); ++r) {
      float sum = 0;
      for (Eigen::Index i = 0; i < x.cols(); ++i) sum += x(r, i) * row[i];
      y(r, o) = bias != nullptr ? sum + bias[o] : sum;
    }
  }
  ActivateNaive(activation, y);
}

}  // namespace qkv
#endif  // HWY_ONCE
