// int8 with one contract on every target. Activations: 7 bits unsigned, with a scale and a zero point for each row,
// computed for each call. Weights: 8 bits signed, with a scale for each output. Sums are exact in 32 bits: 127 * 128
// twice fits 16 bits, so no target saturates, and the sums are the same integers everywhere.
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

// Baseline WebAssembly multiplies two pairs of 16-bit numbers at once, every other target four pairs of 8-bit numbers.
#if defined(__wasm__) && !defined(__wasm_relaxed_simd__)
inline constexpr bool kInt8InPairs = true;
using QuantizedActivation = int16_t;
#else
inline constexpr bool kInt8InPairs = false;
using QuantizedActivation = uint8_t;
#endif

// The inputs that one instruction multiplies and adds.
inline constexpr size_t kInt8Group = 4;
// Rows of inputs are padded to a multiple of this, with zero weights.
inline constexpr size_t kInt8Padding = 64;

// The layout of weights in memory.
enum class Int8Layout {
  // Panels of kPanel outputs, for products by all outputs.
  // A panel is a sequence of groups of four inputs; in a group the 16 outputs are side by side. In baseline
  // WebAssembly a group has, for every four outputs, first the first two inputs of each, then the last two, because
  // its instruction multiplies pairs of 16-bit numbers.
  kPanels,
  // Each output's inputs in order, for tables of embeddings: a row can be read, and a product can take some outputs.
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
  const int32_t* sums() const { return sums_.data(); }  // the sum of each output's weights, for the zero points
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

// The scale of weights in int8: max |w| / 127.
float ScaleOfWeights(const float* weights, size_t size);
// The nearest weights and their scale. weights [size] must be finite.
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

// A row with a NaN or an infinity gets a scale that is not finite. Its products are then not finite either.
QuantizedRows Quantize(ConstMatrixView x, Arena& arena);
void QuantizeNaive(const float* x, size_t size, QuantizedActivation* quantized, float* scale, int32_t* zero);

}  // namespace qkv
