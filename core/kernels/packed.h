// The one layout of weights, for all products: panels of kPanel outputs, each with its inputs in order. The
// matrix-matrix and the matrix-vector kernel read the same bytes, so there is no second copy of a weight.
#pragma once

#include <cstddef>

#include "core/base/aligned.h"
#include "core/base/matrix.h"

namespace qkv {

// Outputs side by side in one panel: a cache line of floats, and a multiple of the lanes of every target.
inline constexpr size_t kPanel = 16;

// W [outputs, inputs]. Element (o, i) is at data()[(o / kPanel * inputs + i) * kPanel + o % kPanel]; outputs past the
// last are zero.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  PackedMatrix(size_t outputs, size_t inputs);

  size_t outputs() const { return outputs_; }
  size_t inputs() const { return inputs_; }
  size_t panels() const { return (outputs_ + kPanel - 1) / kPanel; }
  const float* Panel(size_t panel) const { return data_.data() + panel * inputs_ * kPanel; }
  // All panels in order, for code that treats all weights alike, such as an optimiser.
  float* data() { return data_.data(); }
  const float* data() const { return data_.data(); }
  size_t size() const { return data_.size(); }
  size_t bytes() const { return data_.size() * sizeof(float); }
  static size_t Bytes(size_t outputs, size_t inputs) {
    return (outputs + kPanel - 1) / kPanel * kPanel * inputs * sizeof(float);
  }

  void SetRow(size_t output, const float* weights);  // weights [inputs]
  void GetRow(size_t output, float* weights) const;  // an embedding's row

 private:
  AlignedFloats data_;
  size_t outputs_ = 0, inputs_ = 0;
};

// weight [outputs, inputs], as files store it.
PackedMatrix Pack(ConstMatrixView weight);

}  // namespace qkv
