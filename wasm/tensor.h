// Tensors that JavaScript gives: {data, shape: [heads, rows, dim]}, the data a Float32Array, its length checked.
#pragma once

#include <emscripten/val.h>

#include <array>
#include <vector>

#include "core/attention/transpose.h"
#include "core/base/matrix.h"
#include "wasm/values.h"

namespace qkv::wasm {

struct Tensor {
  std::vector<float> data;
  size_t heads = 0, rows = 0, dim = 0;

  // Never without data, even where there are no rows: null would stand for no tensor.
  ConstHeads view() const {
    static constexpr float kNothing = 0;
    return Dense(data.empty() ? &kNothing : data.data(), heads, rows, dim);
  }
  ConstMatrixView matrix() const {
    return {view().data, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(dim)};
  }
};

// x[h]', for those who write a vector as a column.
Tensor Transposed(const Tensor& x);

// [heads, rows, dim]
std::array<size_t, 3> ReadShape(const val& tensor);
Tensor ReadTensor(const val& value, bool columns = false);

}  // namespace qkv::wasm
