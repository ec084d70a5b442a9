#include "core/kernels/gemm.h"

#include <algorithm>

#include "core/base/round_up.h"
#include "core/kernels/gemm_bf16.h"

namespace qkv {
namespace {

// A block of b, [kDepth, kWidth] packed, stays in the second-level cache while all rows of a use it.
constexpr size_t kDepth = 384, kWidth = 128;
// With fewer multiplications than this, waking a thread costs more than it saves.
constexpr size_t kWorthThreads = size_t{1} << 20;

// to[j][i] = from[i][j] for i < rows, j < columns.
void TransposeInto(const float* from, size_t from_stride, size_t rows, size_t columns, float* to, size_t to_stride) {
  constexpr size_t kTile = 8;  // what is read and what is written are whole cache lines or halves
  for (size_t i0 = 0; i0 < rows; i0 += kTile) {
    const size_t i1 = std::min(i0 + kTile, rows);
    for (size_t j0 = 0; j0 < columns; j0 += kTile) {
      const size_t j1 = std::min(j0 + kTile, columns);
      for (size_t j = j0; j < j1; ++j) {
        for (size_t i = i0; i < i1; ++i) to[j * to_stride + i] = from[i * from_stride + j];
      }
    }
  }
}

// From columns that are side by side. It reads b row by row, because b is usually not in the cache.
void PackStraight(Factor b, size_t k0, size_t k1, size_t n0, size_t n1, float* to) {
  const size_t depth = k1 - k0;
  for (size_t k = k0; k < k1; ++k, to += kPanel) {
    const float* from = b.data + k * b.stride + n0;
    float* at = to;
    for (size_t n = n0; n < n1; n += kPanel, from += kPanel, at += depth * kPanel) {
      const size_t count = std::min(kPanel, n1 - n);
      if (count == kPanel) {
        std::copy_n(from, kPanel, at);
      } else {
        std::copy_n(from, count, at);
        std::fill(at + count, at + kPanel, 0.0f);
      }
    }
  }
}

// From columns that are rows in memory.
void PackTransposed(Factor b, size_t k0, size_t k1, size_t n0, size_t n1, float* to) {
  for (size_t n = n0; n < n1; n += kPanel, to += (k1 - k0) * kPanel) {
    const size_t count = std::min(kPanel, n1 - n);
    if (count < kPanel) std::fill_n(to, (k1 - k0) * kPanel, 0.0f);
    TransposeInto(b.data + n * b.stride + k0, b.stride, count, k1 - k0, to, kPanel);
  }
}

// From a packed weight: columns are its inputs, k its outputs.
void PackInputs(const PackedMatrix& w, size_t k0, size_t k1, size_t n0, size_t n1, float* to) {
  const size_t depth = k1 - k0;
  for (size_t n = n0; n < n1; n += kPanel, to += depth * kPanel) {
    const size_t count = std::min(kPanel, n1 - n);
    if (count < kPanel) std::fill_n(to, depth * kPanel, 0.0f);
    for (size_t k = k0; k < k1;) {
      const size_t in_panel = k % kPanel, run = std::min(kPanel - in_panel, k1 - k);
      const float* from = w.Panel(k / kPanel) + n * kPanel + in_panel;
      TransposeInto(from, kPanel, count, run, to + (k - k0) * kPanel, kPanel);
      k += run;
    }
  }
}

// Columns [begin, end) of y, block by block.
void Columns(size_t m, size_t k, const float* a, size_t a_stride, PackBlock pack, const Result2d& y, size_t begin,
             size_t end, float* block) {
  for (size_t n0 = begin; n0 < end; n0 += kWidth) {
    const size_t n1 = std::min(n0 + kWidth, end);
    for (size_t k0 = 0; k0 < k; k0 += kDepth) {
      const size_t k1 = std::min(k0 + kDepth, k);
      pack(k0, k1, n0, n1, block);
      Product p;
      p.x = a + k0;
      p.x_stride = a_stride;
      p.w = block;
      p.inputs = k1 - k0;
      p.panel_stride = p.inputs * kPanel;
      p.outputs = n1 - n0;
      p.y = y.data + n0 / kPanel * y.panel_stride;
      p.y_stride = y.stride;
      p.y_panel_stride = y.panel_stride;
      p.add = y.add || k0 > 0;
      Multiply(p, m);
    }
  }
}

void Run(size_t m, size_t n, size_t k, Factor a, PackBlock pack, const Result2d& y, Arena& arena, ThreadPool& pool,
         Precision precision) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (size_t i = 0; i < m && !y.add; ++i) {
      for (size_t j = 0; j < n; ++j) y.data[i * y.stride + j / kPanel * y.panel_stride + j % kPanel] = 0;
    }
    return;
  }
  if (precision == Precision::kBf16) return MultiplyBf16(m, n, k, a, pack, nullptr, y, arena, pool);
  const ArenaScope scope(arena);
  const bool worth = pool.size() > 1 && m * n * k >= kWorthThreads;
  const size_t threads = worth ? pool.size() : 1;
  if (a.transposed) {
    const size_t stride = RoundUp(k, kPanel);
    float* rows = arena.Floats(m * stride);
    const auto transpose = [&](size_t begin, size_t end) {
      TransposeInto(a.data + begin, a.stride, k, end - begin, rows + begin * stride, stride);
    };
    if (worth) {
      pool.For(m, kPanel, transpose);
    } else {
      transpose(0, m);
    }
    a = {rows, stride};
  }
  const size_t block = std::min(kDepth, k) * std::min(kWidth, RoundUp(n, kPanel));
  float* blocks = arena.Floats(block * threads);
  if (!worth) return Columns(m, k, a.data, a.stride, pack, y, 0, n, blocks);
  // Each thread gets whole panels of columns, or rows where there are few panels.
  if (n >= 2 * kPanel * threads) {
    const size_t grain = RoundUp((n + threads - 1) / threads, kPanel);
    return pool.For(n, grain, [&](size_t begin, size_t end) {
      Columns(m, k, a.data, a.stride, pack, y, begin, end, blocks + begin / grain * block);
    });
  }
  const size_t grain = (m + threads - 1) / threads;
  pool.For(m, grain, [&](size_t begin, size_t end) {
    Result2d part = y;
    part.data += begin * y.stride;
    Columns(end - begin, k, a.data + begin * a.stride, a.stride, pack, part, 0, n, blocks + begin / grain * block);
  });
}

}  // namespace

void Gemm(size_t m, size_t n, size_t k, Factor a, Factor b, Result2d y, Arena& arena, ThreadPool& pool,
          Precision precision) {
  const auto pack = b.transposed ? PackTransposed : PackStraight;
  Run(
      m, n, k, a, [&](size_t k0, size_t k1, size_t n0, size_t n1, float* to) { pack(b, k0, k1, n0, n1, to); }, y, arena,
      pool, precision);
}

void GemmPacked(size_t m, Factor a, const PackedMatrix& w, Result2d y, Arena& arena, ThreadPool& pool,
                Precision precision) {
  Run(
      m, w.inputs(), w.outputs(), a,
      [&](size_t k0, size_t k1, size_t n0, size_t n1, float* to) { PackInputs(w, k0, k1, n0, n1, to); }, y, arena, pool,
      precision);
}

void AddWeightGradient(size_t rows, size_t outputs, size_t inputs, const float* a, const float* x, float* gradient,
                       Arena& arena, ThreadPool& pool, Precision precision) {
  Gemm(inputs, outputs, rows, {x, inputs, true}, {a, outputs},
       {.data = gradient, .stride = kPanel, .add = true, .panel_stride = inputs * kPanel}, arena, pool, precision);
}

void MatMulBf16(ConstMatrixView x, const PackedMatrix& w, const float* bias, MatrixView y, Arena& arena,
                ThreadPool& pool) {
  if (y.size() == 0) return;
  const auto copy = [&](size_t k0, size_t k1, size_t n0, size_t n1, float* to) {
    for (size_t n = n0; n < n1; n += kPanel, to += (k1 - k0) * kPanel) {
      std::copy_n(w.Panel(n / kPanel) + k0 * kPanel, (k1 - k0) * kPanel, to);
    }
  };
  MultiplyBf16(static_cast<size_t>(x.rows()), w.outputs(), w.inputs(), {x.data(), w.inputs()}, copy, bias,
               {y.data(), w.outputs()}, arena, pool);
}

}  // namespace qkv
