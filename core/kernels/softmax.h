// Softmax over rows, numerically safe: the row's maximum is subtracted first.
#pragma once

#include "core/base/matrix.h"

namespace qkv {

// In place: each row x becomes exp(x - max x) / sum, the same bits on every target. -inf is a masked entry and becomes
// exactly 0; a row with nothing but -inf becomes zeros. A NaN or +inf turns all the others of its row into NaN.
void Softmax(MatrixView rows);
void SoftmaxNaive(MatrixView rows);

// In place: each row x becomes x - max x - log(sum exp(x - max x)).
void LogSoftmax(MatrixView rows);

// What a row's softmax is normalised by, without writing it: log softmax(x)_i = x_i - max - log_sum. NaN where the row
// holds a NaN or +inf, max = -inf where it holds nothing but -inf. The same bits on every target.
struct Normaliser {
  float max, log_sum;
};
Normaliser FindNormaliser(const float* row, size_t size);
void LogSoftmaxNaive(MatrixView rows);

}  // namespace qkv
