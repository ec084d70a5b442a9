// Training with weights rounded to 4 bits, so that a model loses less when `qkv quantize --bits 4` rounds it
// (quantisation-aware training: Jacob et al. 2018).
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/threads.h"
#include "core/train/trainer.h"

namespace qkv {

// Rounds the matrices that FloatsAs::kInt4 writes in 4 bits, to the same values. A copy of these matrices is kept.
class Int4Weights : public PassWeights {
 public:
  // The slots' weights are floats and outlive this object.
  Int4Weights(WeightSlots slots, size_t threads);
  void Set() override;
  void Restore() override;

 private:
  struct Matrix {
    PackedMatrix* weights;
    AlignedFloats kept;  // the exact weights, while the rounded ones replace them
  };
  void Round(const Matrix& matrix);

  std::vector<Matrix> matrices_;
  ThreadPool pool_;
};

}  // namespace qkv
