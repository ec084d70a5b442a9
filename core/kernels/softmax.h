// Softmax over rows, numerically safe: the row's maximum is subtracted first.
#pragma once

#include <limits>

#include "core/base/matrix.h"

namespace qkv {

// In place: each row x becomes exp(x - max x) / sum, the same bits on every target. -inf is a masked entry and becomes
// exactly 0; a row of -inf alone becomes zeros. With a NaN or +inf, all entries that are not masked become NaN.
void Softmax(MatrixView rows);
void SoftmaxNaive(MatrixView rows);

// In place: each row x becomes x - max x - log(sum exp(x - max x)).
void LogSoftmax(MatrixView rows);

void LogSoftmaxNaive(MatrixView rows);

// The normaliser of a row's softmax, without writing the row: log softmax(x)_i = x_i - max - log_sum. NaN if the row
// holds a NaN or +inf; max = -inf if it holds -inf alone. The same bits on every target.
struct Normaliser {
  float max, log_sum;
};
Normaliser FindNormaliser(const float* row, size_t size);

// Computes the normaliser of a row that is given in parts. Add the parts in order. The size of a part must be a
// multiple of kNormaliserPart; the last part may have any size. Then the result has the same bits as FindNormaliser of
// the row.
inline constexpr size_t kNormaliserPart = 1024;
class RunningNormaliser {
 public:
  void Add(const float* part, size_t size);
  Normaliser Get() const;

 private:
  float max_ = -std::numeric_limits<float>::infinity();
  double sum_ = 0;  // sum exp(x - max_)
};

}  // namespace qkv
