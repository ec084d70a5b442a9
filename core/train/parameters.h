// A model's weights for training: arrays of floats, each with a gradient, whatever they are in the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/aligned.h"
#include "core/base/tape.h"
#include "core/layers/weight_slots.h"

namespace qkv {

struct LearntParameter {
  std::string name;  // the first name of its slot
  size_t part = 0;   // if it is one part of a tensor: its first output there
  float* value = nullptr;
  size_t size = 0;                 // floats, with the padding of a packed matrix: zeros whose gradients are zeros
  size_t outputs = 0, inputs = 0;  // of the tensor; inputs = 1 for a vector
  bool matrix = false;             // packed
  Start start = Start::kMatrix;
  AlignedFloats gradient;
};

class Parameters {
 public:
  // The slots' weights are floats, are allocated, and must outlive the parameters. Without `gradients` none are
  // allocated.
  explicit Parameters(WeightSlots& slots, bool gradients = true);

  std::vector<LearntParameter>& all() { return all_; }
  const std::vector<LearntParameter>& all() const { return all_; }
  size_t count() const;  // the number of weights that are trained

  void Watch(Tape& tape);
  void ClearGradients();
  // The start piece's row of every table of pieces is zero and stays zero.
  void ClearStart(size_t row);
  void ClearStartGradient(size_t row);

 private:
  std::vector<LearntParameter> all_;
};

// Converts a tensor between its packing in memory and the rows of a file, [outputs, inputs].
void Unpack(const LearntParameter& parameter, const float* packed, float* rows);
void PackInto(const LearntParameter& parameter, const float* rows, float* packed);

}  // namespace qkv
