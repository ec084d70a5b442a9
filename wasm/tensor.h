// Tensors that JavaScript gives: {data, shape: [heads, rows, dim]}, the data a Float32Array, its length checked.
#pragma once

#include <emscripten/val.h>

#include <utility>
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
inline Tensor Transposed(const Tensor& x) {
  Tensor y = {std::vector<float>(x.data.size()), x.heads, x.dim, x.rows};
  Transpose(x.view(), Dense(y.data.data(), y.heads, y.rows, y.dim));
  return y;
}

inline Tensor ReadTensor(const val& value, bool columns = false) {
  const val shape = value["shape"];
  const auto size = [&](int axis) { return static_cast<size_t>(shape[axis].as<double>()); };
  Tensor tensor = {emscripten::convertJSArrayToNumberVector<float>(value["data"]), size(0), size(1), size(2)};
  return columns ? Transposed(tensor) : tensor;
}

}  // namespace qkv::wasm
