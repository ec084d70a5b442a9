#include "core/kernels/packed.h"

#include <algorithm>
#include <cassert>

namespace qkv {

PackedMatrix::PackedMatrix(size_t outputs, size_t inputs)
    : data_((outputs + kPanel - 1) / kPanel * kPanel * inputs), outputs_(outputs), inputs_(inputs) {
  // Only the last panel has outputs that SetRow does not write.
  if (outputs % kPanel != 0) std::fill_n(data_.data() + outputs / kPanel * kPanel * inputs, kPanel * inputs, 0.0f);
}

void PackedMatrix::SetRow(size_t output, const float* weights) {
  assert(output < outputs_);
  float* column = data_.data() + output / kPanel * inputs_ * kPanel + output % kPanel;
  for (size_t i = 0; i < inputs_; ++i) column[i * kPanel] = weights[i];
}

void PackedMatrix::GetRow(size_t output, float* weights) const {
  assert(output < outputs_);
  const float* column = Panel(output / kPanel) + output % kPanel;
  for (size_t i = 0; i < inputs_; ++i) weights[i] = column[i * kPanel];
}

PackedMatrix Pack(ConstMatrixView weight) {
  PackedMatrix packed(static_cast<size_t>(weight.rows()), static_cast<size_t>(weight.cols()));
  for (Eigen::Index o = 0; o < weight.rows(); ++o) {
    packed.SetRow(static_cast<size_t>(o), weight.data() + o * weight.cols());
  }
  return packed;
}

}  // namespace qkv
