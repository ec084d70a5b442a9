// What the tests of the kernels share: running a test on every target of this machine, random matrices, bit comparison.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "core/base/matrix.h"
#include "core/base/random.h"
#include "core/kernels/targets.h"
#include "hwy/targets.h"

namespace qkv {

// Runs `test` once with each target that was compiled and that this processor has, as the only target.
inline void ForEachTarget(const std::function<void()>& test) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    test();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

// Half a unit in the last place of 1, and the bound of a sum of n rounded terms relative to sum |terms| (Higham 2002,
// lemma 3.1).
inline constexpr double kUnit = 0x1p-24;
inline double Gamma(size_t n) { return static_cast<double>(n) * kUnit / (1 - static_cast<double>(n) * kUnit); }

// Floats that start one past an aligned address, between guards that Intact() checks.
class Guarded {
 public:
  Guarded(size_t rows, size_t cols) : rows_(rows), cols_(cols), data_(2 * kGuard + 1 + rows * cols, kMark) {}
  MatrixView view() { return {data(), static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(cols_)}; }
  ConstMatrixView read() const {
    return {const_cast<Guarded*>(this)->data(), static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(cols_)};
  }
  float* data() { return data_.data() + kGuard + 1; }
  bool Intact() const {
    for (size_t i = 0; i < data_.size(); ++i) {
      const bool guard = i < kGuard + 1 || i >= kGuard + 1 + rows_ * cols_;
      if (guard && data_[i] != kMark) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kGuard = 32;
  static constexpr float kMark = -12345.5f;
  size_t rows_, cols_;
  std::vector<float> data_;
};

// Uniform in [-1, 1).
inline Guarded RandomMatrix(size_t rows, size_t cols, uint64_t seed, float scale = 1) {
  Guarded m(rows, cols);
  Random random(seed);
  for (size_t i = 0; i < rows * cols; ++i) m.data()[i] = scale * (2 * random.Uniform() - 1);
  return m;
}

inline bool SameBits(ConstMatrixView a, ConstMatrixView b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<size_t>(a.size())) == 0);
}

inline ConstMatrixView ReadRows(const Guarded& m, Eigen::Index first, Eigen::Index count) {
  return {m.read().data() + first * m.read().cols(), count, m.read().cols()};
}
inline Guarded ReadColumns(const Guarded& m, size_t first, size_t count) {
  const auto from = static_cast<Eigen::Index>(first), columns = static_cast<Eigen::Index>(count);
  Guarded some(static_cast<size_t>(m.read().rows()), count);
  some.view() = m.read().middleCols(from, columns);
  return some;
}
inline MatrixView WriteRows(Guarded& m, Eigen::Index first, Eigen::Index count) {
  return {m.data() + first * m.view().cols(), count, m.view().cols()};
}

}  // namespace qkv
