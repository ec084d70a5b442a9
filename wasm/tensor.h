// Tensors from JavaScript: {data, shape: [heads, rows, dim]}. The data is a Float32Array; its length is checked.
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

  // The data pointer is never null, even without rows: null means that there is no tensor.
  ConstHeads view() const {
    static constexpr float kNothing = 0;
    return Dense(data.empty() ? &kNothing : data.data(), heads, rows, dim);
  }
  ConstMatrixView matrix() const {
    return {view().data, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(dim)};
  }
};

// x[h]' for every head, for callers that write vectors as columns.
Tensor Transposed(const Tensor& x);

// [heads, rows, dim]
std::array<size_t, 3> ReadShape(const val& tensor);
Tensor ReadTensor(const val& value, bool columns = false);

}  // namespace qkv::wasm
