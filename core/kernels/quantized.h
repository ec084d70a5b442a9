// int8, one contract on every target: activations unsigned 7 bits, a scale and a zero point for each row, made on the
// fly; weights signed 8 bits, a scale for each output. Products add up in 32 bits, exactly: 127 * 128 twice still fits
// 16 bits, so no target saturates, and the sums are the same integers everywhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/aligned.h"
#include "core/base/arena.h"
#include "core/base/matrix.h"

namespace qkv {

// Baseline WebAssembly multiplies pairs of 16 bits; every other target four pairs of 8 bits at once.
#if defined(__wasm__) && !defined(__wasm_relaxed_simd__)
inline constexpr bool kInt8InPairs = true;
using QuantizedActivation = int16_t;
#else
inline constexpr bool kInt8InPairs = false;
using QuantizedActivation = uint8_t;
#endif

// Inputs side by side that one instruction multiplies and adds.
inline constexpr size_t kInt8Group = 4;
// Rows of inputs are padded to this many, with weights of zero.
inline constexpr size_t kInt8Padding = 64;

// How weights lie in memory.
enum class Int8Layout {
  // Panels of kPanel outputs, for products by all of them: within a panel groups of four inputs follow one another,
  // each
  // with its 16 outputs side by side. In baseline WebAssembly four outputs' first two inputs come before their last
  // two.
  kPanels,
  // Each output's inputs in order, for tables: a row is looked up, and a product may want some outputs alone.
  kRows,
};

// W [outputs, inputs] = scale[o] * q[o, i].
class QuantizedMatrix {
 public:
  QuantizedMatrix() = default;
  QuantizedMatrix(Int8Layout layout, size_t outputs, size_t inputs);

  Int8Layout layout() const { return layout_; }
  size_t outputs() const { return outputs_; }
  size_t inputs() const { return inputs_; }
  // Bytes between two panels, or two rows.
  size_t stride() const { return stride_; }
  const int8_t* data() const { return reinterpret_cast<const int8_t*>(data_.data()); }
  const float* scales() const { return scales_.data(); }
  const int32_t* sums() const { return sums_.data(); }  // of each output's weights, for the zero points
  size_t bytes() const;

  void SetRow(size_t output, const int8_t* weights);  // weights [inputs]
  void SetScale(size_t output, float scale) { scales_.data()[output] = scale; }
  void GetRow(size_t output, int8_t* weights) const;
  void GetRow(size_t output, float* weights) const;  // scale[o] * q[o, i]

  static size_t Bytes(Int8Layout layout, size_t outputs, size_t inputs);

 private:
  size_t At(size_t output, size_t input) const;

  Int8Layout layout_ = Int8Layout::kPanels;
  size_t outputs_ = 0, inputs_ = 0, stride_ = 0;
  AlignedFloats data_;
  AlignedFloats scales_;       // [outputs padded to a panel]
  std::vector<int32_t> sums_;  // the same
};

// The nearest weights and their scale: max |w| / 127. weights [size] must be finite.
float QuantizeWeights(const float* weights, size_t size, int8_t* quantized);

// x [rows, inputs] = scale[r] * (q[r, i] - zero[r]), 0 <= q <= 127. Views of an arena.
struct QuantizedRows {
  const QuantizedActivation* data = nullptr;  // [rows, stride]
  size_t rows = 0, inputs = 0, stride = 0;
  const float* scales = nullptr;
  const int32_t* zeros = nullptr;
};

// The scale of a row whose least and greatest numbers, 0 included, are these: 0 for a row of zeros, not finite for one
// whose span is not. Never so small that its inverse is infinite: the smallest normal number has a finite one, and rows
// that span less than 127 of it keep their numbers to within half of it.
inline float RowScale(float least, float most) {
  const float span = most - least;
  return span > 0 ? std::max(span / 127, std::numeric_limits<float>::min()) : span;
}

// A row with a NaN or an infinity gets a scale that is not finite, and so are its products.
QuantizedRows Quantize(ConstMatrixView x, Arena& arena);
void QuantizeNaive(const float* x, size_t size, QuantizedActivation* quantized, float* scale, int32_t* zero);

}  // namespace qkv
