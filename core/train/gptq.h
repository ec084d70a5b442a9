// GPTQ (Frantar et al. 2022, https://arxiv.org/abs/2210.17323): weights in 4 bits whose products come nearer to those
// of the floats than the products of rounded weights do.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/base/threads.h"
#include "core/train/calibrate.h"
#include "core/translate/model.h"

namespace qkv {

// For one matrix W [outputs, inputs] that multiplies inputs x: finds W^ in 4 bits (core/kernels/int4.h) with a small
// sum of |x W' - x W^'|^2.
class Gptq {
 public:
  // moments [inputs, inputs]: the sum of x x' over all x. inputs: whole groups of int4.
  explicit Gptq(const Eigen::MatrixXd& moments);
  // Rounds one output's weights [inputs] to multiples of `scale` (ScaleOfWeights) that 4 bits can hold.
  void Round(const float* weights, float scale, int8_t* rounded) const;

 private:
  // U, upper triangular, with U' U = H^-1. H is `moments` with a little more on its diagonal.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> factor_;
};

// Rounds the matrices of `slots` that are for int4 (IsForInt4) and that the model multiplies by when it translates
// `texts`. They become int8 weights that 4 bits can hold. Each is rounded by the inputs that it gets when the matrices
// before it are rounded. `slots` are the model's, which is of floats. Errors: kUnsupported for a model of int8.
Result<void> QuantizeByGptq(TranslationModel& model, const WeightSlots& slots, const std::vector<std::string>& texts,
                            ThreadPool& pool);

}  // namespace qkv
