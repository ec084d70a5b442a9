#include "core/kernels/cross_entropy.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/cross_entropy.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/lanes-inl.h"
#include "core/kernels/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

// sum (x - max), in short chains as RowExpSum's.
HWY_INLINE double ShiftedSum(const float* row, size_t size, float max) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  constexpr size_t kBlock = 64;
  double total = 0;
  size_t i = 0;
  while (i + lanes <= size) {
    auto sum = hn::Zero(d);
    for (const size_t end = HWY_MIN(size, i + kBlock * lanes); i + lanes <= end; i += lanes) {
      sum = hn::Add(sum, hn::Sub(hn::LoadU(d, row + i), hn::Set(d, max)));
    }
    total += hn::ReduceSum(d, sum);
  }
  for (; i < size; ++i) total += row[i] - max;
  return total;
}

// One row becomes scale (softmax(z) - q).
void CrossEntropyRow(float* row, size_t size, int32_t target, float smoothing, float scale, double* loss,
                     double* negative) {
  const float max = RowMax(row, size);
  const double n = static_cast<double>(size), shifted = smoothing > 0 ? ShiftedSum(row, size, max) : 0;
  const float at_target = row[target] - max;
  const float sum = RowExpSum<Wide, true>(row, size, max);
  const double log_sum = std::log(static_cast<double>(sum));
  *negative = log_sum - at_target;
  *loss = (1 - smoothing) * *negative + smoothing * (log_sum - shifted / n);
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  const float factor = scale / sum, uniform = scale * smoothing / static_cast<float>(size);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    hn::StoreU(hn::MulSub(hn::LoadU(d, row + i), hn::Set(d, factor), hn::Set(d, uniform)), d, row + i);
  }
  for (; i < size; ++i) row[i] = row[i] * factor - uniform;
  row[target] -= scale * (1 - smoothing);
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(CrossEntropyRow);

CrossEntropySums CrossEntropy(MatrixView logits, std::span<const int32_t> targets, float smoothing, float scale,
                              ThreadPool& pool) {
  assert(static_cast<size_t>(logits.rows()) == targets.size());
  const auto row = HWY_DYNAMIC_POINTER(CrossEntropyRow);
  const auto size = static_cast<size_t>(logits.cols());
  std::vector<CrossEntropySums> rows(targets.size());
  pool.For(targets.size(), 4, [&](size_t begin, size_t end) {
    for (size_t r = begin; r < end; ++r) {
      row(logits.data() + r * size, size, targets[r], smoothing, scale, &rows[r].loss, &rows[r].negative);
    }
  });
  CrossEntropySums sums;
  for (const CrossEntropySums& one : rows) {
    sums.loss += one.loss;
    sums.negative += one.negative;
  }
  return sums;
}

}  // namespace qkv
#endif  // HWY_ONCE
