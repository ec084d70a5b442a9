#include "core/kernels/softmax.h"

#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/softmax.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

void SoftmaxRows(float* rows, size_t count, size_t size) {
  for (size_t r = 0; r < count; ++r) SoftmaxRow(rows + r * size, size);
}

void NormaliseRow(const float* row, size_t size, Normaliser& n) {
  n = {RowMax(row, size), 0};
  if (n.max == -std::numeric_limits<float>::infinity()) return;
  if (std::isfinite(n.max)) {
    // In double: its logarithm rounds to the same float in every math library.
    n.log_sum = static_cast<float>(std::log(static_cast<double>(RowExpSum<Steady, false>(row, size, n.max))));
  } else {
    n.max = n.log_sum = std::numeric_limits<float>::quiet_NaN();
  }
}

void LogSoftmaxRows(float* rows, size_t count, size_t size) {
  for (size_t r = 0; r < count; ++r) {
    float* row = rows + r * size;
    Normaliser n;
    NormaliseRow(row, size, n);
    if (n.max == -std::numeric_limits<float>::infinity()) continue;
    // Two subtractions, because max + log_sum would lose the low bits of log_sum.
    const hn::ScalableTag<float> d;
    const size_t lanes = hn::Lanes(d);
    const auto m = hn::Set(d, n.max), s = hn::Set(d, n.log_sum);
    size_t i = 0;
    for (; i + lanes <= size; i += lanes) hn::StoreU(hn::Sub(hn::Sub(hn::LoadU(d, row + i), m), s), d, row + i);
    for (; i < size; ++i) row[i] = row[i] - n.max - n.log_sum;
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(SoftmaxRows);
HWY_EXPORT(LogSoftmaxRows);
HWY_EXPORT(NormaliseRow);

void Softmax(MatrixView rows) {
  HWY_DYNAMIC_DISPATCH(SoftmaxRows)
  (rows.data(), static_cast<size_t>(rows.rows()), static_cast<size_t>(rows.cols()));
}

void LogSoftmax(MatrixView rows) {
  HWY_DYNAMIC_DISPATCH(LogSoftmaxRows)
  (rows.data(), static_cast<size_t>(rows.rows()), static_cast<size_t>(rows.cols()));
}

Normaliser FindNormaliser(const float* row, size_t size) {
  Normaliser n;
  HWY_DYNAMIC_DISPATCH(NormaliseRow)(row, size, n);
  return n;
}

namespace {
// max, with NaN for a row that holds NaN.
float MaxNaive(const float* row, Eigen::Index size) {
  float max = -std::numeric_limits<float>::infinity();
  for (Eigen::Index i = 0; i < size; ++i) {
    if (row[i] > max || std::isnan(row[i])) max = row[i];
    if (std::isnan(max)) break;
  }
  return max;
}
}  // namespace

void SoftmaxNaive(MatrixView rows) {
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    float* row = rows.data() + r * rows.cols();
    const float max = MaxNaive(row, rows.cols());
    float sum = 0;
    for (Eigen::Index i = 0; i < rows.cols(); ++i) {
      row[i] = std::isinf(row[i]) && row[i] < 0 ? 0 : std::exp(row[i] - max);
      sum += row[i];
    }
    for (Eigen::Index i = 0; i < rows.cols() && sum != 0; ++i) row[i] /= sum;
  }
}

void LogSoftmaxNaive(MatrixView rows) {
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    float* row = rows.data() + r * rows.cols();
    const float max = MaxNaive(row, rows.cols());
    if (std::isinf(max) && max < 0) continue;
    float sum = 0;
    for (Eigen::Index i = 0; i < rows.cols(); ++i) sum += std::exp(row[i] - max);
    for (Eigen::Index i = 0; i < rows.cols(); ++i) row[i] = row[i] - max - std::log(sum);
  }
}

}  // namespace qkv
#endif  // HWY_ONCE
