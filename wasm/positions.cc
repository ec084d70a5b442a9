// Bindings: positions.
#include "core/layers/positions.h"

#include <emscripten/bind.h>

#include "wasm/memory.h"
#include "wasm/tensor.h"

namespace qkv::wasm {
namespace {

PairLayout LayoutOf(const std::string& name) {
  return name == "interleaved" ? PairLayout::kInterleaved : PairLayout::kHalves;
}

val RowsValue(const Matrix& rows) {
  return TensorValue(std::vector<float>(rows.data(), rows.data() + rows.size()),
                     {static_cast<size_t>(rows.rows()), static_cast<size_t>(rows.cols())});
}

Result<void> RoomForRows(double rows, double columns) {
  const double bytes = 2 * sizeof(float) * rows * columns;
  return CheckMemory(bytes < 0x1p63 ? static_cast<uint64_t>(bytes) : UINT64_MAX, kGiveLess, "d");
}

val Sinusoidal(double count, double d, const std::string& layout, double first) {
  if (const Result<void> fits = RoomForRows(count, d); !fits) return ErrorValue(fits.error());
  return RowsValue(SinusoidalPositions(static_cast<size_t>(count), static_cast<size_t>(d), LayoutOf(layout),
                                       static_cast<size_t>(first)));
}

val Rotation(double delta, double d, const std::string& layout) {
  if (const Result<void> fits = RoomForRows(d, d); !fits) return ErrorValue(fits.error());
  return RowsValue(SinusoidRotation(delta, static_cast<size_t>(d), LayoutOf(layout)));
}

val Rotary(const val& x, double bytes, double first, const std::string& layout, double base) {
  if (const Result<void> fits = CheckMemory(static_cast<uint64_t>(bytes), kGiveLess, "x"); !fits) {
    return ErrorValue(fits.error());
  }
  Tensor y = ReadTensor(x);
  const Heads heads = Dense(y.data.data(), y.heads, y.rows, y.dim);
  RotaryPositions(heads, static_cast<size_t>(first), heads, LayoutOf(layout), base);
  return TensorValue(y.data, {y.heads, y.rows, y.dim});
}

val Learned(const val& x, const val& table, double bytes, double first) {
  if (const Result<void> fits = CheckMemory(static_cast<uint64_t>(bytes), kGiveLess, "x"); !fits) {
    return ErrorValue(fits.error());
  }
  Tensor y = ReadTensor(x);
  const Tensor rows = ReadTensor(table);
  LearnedPositions(y.matrix(), rows.matrix(), static_cast<size_t>(first),
                   {y.data.data(), static_cast<Eigen::Index>(y.rows), static_cast<Eigen::Index>(y.dim)});
  return TensorValue(y.data, {y.rows, y.dim});
}

}  // namespace

EMSCRIPTEN_BINDINGS(qkv_positions) {
  using emscripten::function;
  function("sinusoidal", &Sinusoidal);
  function("rotation", &Rotation);
  function("rotary", &Rotary);
  function("learned", &Learned);
}

}  // namespace qkv::wasm
