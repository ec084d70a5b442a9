// Softmax over rows, numerically safe: the row's maximum is subtracted first.
#pragma once

#include "core/base/matrix.h"

namespace qkv {

// In place: each row x becomes exp(x - max x) / sum. -inf is a masked entry and becomes exactly 0; a row with nothing
// but -inf becomes zeros. A NaN or +inf turns all the others of its row into NaN.
void Softmax(MatrixView rows);
void SoftmaxNaive(MatrixView rows);

// In place: each row x becomes x - max x - log(sum exp(x - max x)).
void LogSoftmax(MatrixView rows);
void LogSoftmaxNaive(MatrixView rows);

}  // namespace qkv
