#include "core/kernels/quantized.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "core/base/round_up.h"
#include "core/kernels/packed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/quantized.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At least eight lanes, because half a vector of bytes is stored at once.
using RowTag = hn::ScalableTag<float>;
using RowVector = hn::Vec<RowTag>;

// The minimum and the maximum of a row and 0. Infinite for a row with a NaN, which a comparison could lose.
HWY_INLINE void Span(const float* x, size_t size, float& least, float& most) {
  const RowTag d;
  const size_t lanes = hn::Lanes(d);
  RowVector low = hn::Zero(d), high = hn::Zero(d), nan = hn::Zero(d);
  const auto reach = [&](RowVector v) HWY_ATTR {
    low = hn::Min(v, low);
    high = hn::Max(v, high);
    nan = hn::Add(nan, hn::Mul(v, hn::Zero(d)));  // 0, or NaN for what is not finite
  };
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) reach(hn::LoadU(d, x + i));
  if (i < size) reach(hn::LoadN(d, x + i, size - i));
  least = hn::ReduceMin(d, low);
  most = hn::ReduceMax(d, high) + hn::ReduceSum(d, nan);
}

// Rounded to the nearest, ties to even, as every target's conversion does.
HWY_INLINE void RoundRow(const float* x, size_t size, float inverse, int32_t zero, QuantizedActivation* to) {
  const RowTag d;
  const hn::RebindToSigned<RowTag> di;
  const hn::Rebind<QuantizedActivation, RowTag> dq;
  const size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, inverse);
  const auto shift = hn::Set(di, zero), top = hn::Set(di, 127), bottom = hn::Zero(di);
  const auto round = [&](RowVector v) HWY_ATTR {
    const auto q = hn::Add(hn::NearestInt(hn::Mul(v, factor)), shift);
    return hn::DemoteTo(dq, hn::Min(hn::Max(q, bottom), top));
  };
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(round(hn::LoadU(d, x + i)), dq, to + i);
  if (i < size) hn::StoreN(round(hn::LoadN(d, x + i, size - i)), dq, to + i, size - i);
}

void QuantizeRows(const float* x, size_t rows, size_t size, size_t stride, QuantizedActivation* to, float* scales,
                  int32_t* zeros) {
  for (size_t r = 0; r < rows; ++r, x += size, to += stride) {
    float least, most;
    Span(x, size, least, most);
    const float scale = RowScale(least, most);
    scales[r] = scale;
    const bool usable = scale > 0 && scale <= std::numeric_limits<float>::max();
    const float inverse = usable ? 1 / scale : 0;
    zeros[r] = usable ? static_cast<int32_t>(std::nearbyint(-least * inverse)) : 0;
    RoundRow(x, usable ? size : 0, inverse, zeros[r], to);
    std::memset(to + (usable ? size : 0), 0, (stride - (usable ? size : 0)) * sizeof(QuantizedActivation));
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(QuantizeRows);

namespace {

size_t Stride(Int8Layout layout, size_t inputs) {
  return layout == Int8Layout::kPanels ? RoundUp(inputs, kInt8Group) * kPanel : RoundUp(inputs, kInt8Padding);
}

size_t DataBytes(Int8Layout layout, size_t outputs, size_t inputs) {
  const size_t count = layout == Int8Layout::kPanels ? (outputs + kPanel - 1) / kPanel : outputs;
  return count * Stride(layout, inputs);
}

}  // namespace

QuantizedMatrix::QuantizedMatrix(Int8Layout layout, size_t outputs, size_t inputs)
    : layout_(layout),
      outputs_(outputs),
      inputs_(inputs),
      stride_(Stride(layout, inputs)),
      data_((DataBytes(layout, outputs, inputs) + sizeof(float) - 1) / sizeof(float)),
      scales_(RoundUp(outputs, kPanel)),
      sums_(RoundUp(outputs, kPanel)) {
  std::fill_n(scales_.data(), scales_.size(), 0.0f);
  // Only the last panel has outputs that SetRow does not write.
  if (layout == Int8Layout::kPanels && outputs % kPanel != 0) {
    auto* const bytes = reinterpret_cast<uint8_t*>(data_.data());
    std::memset(bytes + outputs / kPanel * stride_, 0, stride_);
  }
}

size_t QuantizedMatrix::Bytes(Int8Layout layout, size_t outputs, size_t inputs) {
  return DataBytes(layout, outputs, inputs) + RoundUp(outputs, kPanel) * (sizeof(float) + sizeof(int32_t));
}

size_t QuantizedMatrix::bytes() const { return Bytes(layout_, outputs_, inputs_); }

size_t QuantizedMatrix::At(size_t output, size_t input) const {
  if (layout_ == Int8Layout::kRows) return output * stride_ + input;
  const size_t group = output / kPanel * stride_ + input / kInt8Group * kPanel * kInt8Group;
  const size_t o = output % kPanel, i = input % kInt8Group;
  return group + (kInt8InPairs ? o / 4 * 16 + i / 2 * 8 + o % 4 * 2 + i % 2 : o * kInt8Group + i);
}

void QuantizedMatrix::SetRow(size_t output, const int8_t* weights) {
  assert(output < outputs_);
  auto* const to = reinterpret_cast<int8_t*>(data_.data());
  sums_[output] = std::accumulate(weights, weights + inputs_, int32_t{0});
  int8_t* at = to + At(output, 0);
  if (layout_ == Int8Layout::kRows) {
    std::memcpy(at, weights, inputs_);
    std::memset(at + inputs_, 0, stride_ - inputs_);
    return;
  }
  // Inputs that lie side by side are copied together: all four of a group, or two twice. Copying single bytes would
  // take a third of the time in which a model loads.
  constexpr size_t kRun = kInt8InPairs ? kInt8Group / 2 : kInt8Group, kNextGroup = kPanel * kInt8Group;
  const size_t whole = inputs_ / kInt8Group * kInt8Group;
  for (size_t i = 0; i < whole; i += kInt8Group, at += kNextGroup) {
    std::memcpy(at, weights + i, kRun);
    if (kInt8InPairs) std::memcpy(at + kNextGroup / 8, weights + i + kRun, kRun);
  }
  for (size_t i = whole; i < stride_ / kPanel; ++i) to[At(output, i)] = i < inputs_ ? weights[i] : int8_t{0};
}

void QuantizedMatrix::GetRow(size_t output, int8_t* weights) const {
  assert(output < outputs_);
  for (size_t i = 0; i < inputs_; ++i) weights[i] = data()[At(output, i)];
}

void QuantizedMatrix::GetRow(size_t output, float* weights) const {
  assert(output < outputs_);
  const float scale = scales_.data()[output];
  for (size_t i = 0; i < inputs_; ++i) weights[i] = scale * static_cast<float>(data()[At(output, i)]);
}

float ScaleOfWeights(const float* weights, size_t size) {
  float most = 0;
  for (size_t i = 0; i < size; ++i) most = std::max(most, std::fabs(weights[i]));
  return most / 127;
}

float QuantizeWeights(const float* weights, size_t size, int8_t* quantized) {
  const float scale = ScaleOfWeights(weights, size);
  for (size_t i = 0; i < size; ++i) {
    quantized[i] = scale > 0 ? static_cast<int8_t>(std::clamp(std::nearbyint(weights[i] / scale), -127.0f, 127.0f)) : 0;
  }
  return scale;
}

QuantizedRows Quantize(ConstMatrixView x, Arena& arena) {
  QuantizedRows q;
  q.rows = static_cast<size_t>(x.rows());
  q.inputs = static_cast<size_t>(x.cols());
  q.stride = RoundUp(q.inputs, kInt8Padding);
  const size_t floats = q.rows * q.stride * sizeof(QuantizedActivation) / sizeof(float);
  float* const scratch = arena.Floats(floats + 2 * q.rows);
  auto* const data = reinterpret_cast<QuantizedActivation*>(scratch);
  float* const scales = scratch + floats;
  auto* const zeros = reinterpret_cast<int32_t*>(scales + q.rows);
  HWY_DYNAMIC_DISPATCH(QuantizeRows)(x.data(), q.rows, q.inputs, q.stride, data, scales, zeros);
  q.data = data;
  q.scales = scales;
  q.zeros = zeros;
  return q;
}

void QuantizeNaive(const float* x, size_t size, QuantizedActivation* quantized, float* scale, int32_t* zero) {
  float least = 0, most = 0;
  for (size_t i = 0; i < size; ++i) {
    least = std::min(least, x[i]);
    most = std::max(most, x[i]);
  }
  *scale = RowScale(least, most);
  const float inverse = *scale > 0 ? 1 / *scale : 0;
  *zero = static_cast<int32_t>(std::nearbyint(-least * inverse));
  for (size_t i = 0; i < size; ++i) {
    const float q = std::nearbyint(x[i] * inverse) + static_cast<float>(*zero);
    quantized[i] = static_cast<QuantizedActivation>(std::clamp(q, 0.0f, 127.0f));
  }
}

}  // namespace qkv
#endif  // HWY_ONCE
