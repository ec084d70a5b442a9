#include "wasm/tensor.h"

#include <utility>

namespace qkv::wasm {

Tensor Transposed(const Tensor& x) {
  Tensor y = {std::vector<float>(x.data.size()), x.heads, x.dim, x.rows};
  Transpose(x.view(), Dense(y.data.data(), y.heads, y.rows, y.dim));
  return y;
}

std::array<size_t, 3> ReadShape(const val& tensor) {
  const std::vector<double> shape = emscripten::convertJSArrayToNumberVector<double>(Field(tensor, "shape"));
  return {static_cast<size_t>(shape[0]), static_cast<size_t>(shape[1]), static_cast<size_t>(shape[2])};
}

Tensor ReadTensor(const val& value, bool columns) {
  const auto [heads, rows, dim] = ReadShape(value);
  Tensor tensor = {emscripten::convertJSArrayToNumberVector<float>(Field(value, "data")), heads, rows, dim};
  return columns ? Transposed(tensor) : std::move(tensor);  // moved, because a copy would double the memory
}

}  // namespace qkv::wasm
