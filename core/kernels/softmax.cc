#include "core/kernels/softmax.h"

#include <algorithm>
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

// max x of a part of a row, and sum exp(x - max) of that part.
float MaxOfPart(const float* part, size_t size) { return RowMax(part, size); }
float ExpSumOfPart(const float* part, size_t size, float max) { return RowExpSum<Steady, false>(part, size, max); }

void LogSoftmaxRows(float* rows, size_t count, size_t size) {
  for (size_t r = 0; r < count; ++r) {
    float* row = rows + r * size;
    const Normaliser n = FindNormaliser(row, size);
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
HWY_EXPORT(MaxOfPart);
HWY_EXPORT(ExpSumOfPart);

void Softmax(MatrixView rows) {
  HWY_DYNAMIC_DISPATCH(SoftmaxRows)
  (rows.data(), static_cast<size_t>(rows.rows()), static_cast<size_t>(rows.cols()));
}

void LogSoftmax(MatrixView rows) {
  HWY_DYNAMIC_DISPATCH(LogSoftmaxRows)
  (rows.data(), static_cast<size_t>(rows.rows()), static_cast<size_t>(rows.cols()));
}

// If a part has a larger maximum, the sum of the earlier parts is multiplied by exp(old maximum - new maximum) (Milakov
// and Gimelshein 2018, https://arxiv.org/abs/1805.02867). Once the row has had a NaN or +inf, the maximum is NaN.
void RunningNormaliser::Add(const float* part, size_t size) {
  for (size_t i = 0; i < size; i += kNormaliserPart) {
    const size_t count = std::min(size - i, kNormaliserPart);
    const float max = HWY_DYNAMIC_DISPATCH(MaxOfPart)(part + i, count);
    if (max == -std::numeric_limits<float>::infinity()) continue;
    if (!std::isfinite(max)) {
      max_ = std::numeric_limits<float>::quiet_NaN();
    } else if (max > max_) {
      // This sum has one term: exp(max_ - max).
      sum_ *= static_cast<double>(HWY_DYNAMIC_DISPATCH(ExpSumOfPart)(&max_, 1, max));
      max_ = max;
    }
    sum_ += static_cast<double>(HWY_DYNAMIC_DISPATCH(ExpSumOfPart)(part + i, count, max_));
  }
}

Normaliser RunningNormaliser::Get() const {
  if (std::isnan(max_)) return {max_, max_};
  // Math libraries give different last bits of a logarithm. A logarithm in double, rounded to float, is the same in
  // all.
  return {max_, sum_ > 0 ? static_cast<float>(std::log(sum_)) : 0};
}

Normaliser FindNormaliser(const float* row, size_t size) {
  RunningNormaliser n;
  n.Add(row, size);
  return n.Get();
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
