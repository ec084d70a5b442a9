// A model's weights as learning sees them: runs of floats with a gradient each, whatever they are in the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/aligned.h"
#include "core/base/tape.h"
#include "core/layers/weight_slots.h"

namespace qkv {

struct LearntParameter {
  std::string name;  // the first of its slot's
  size_t part = 0;   // of the tensor of that name, where it is one of several: which of its outputs is the first
  float* value = nullptr;
  size_t size = 0;                 // floats, with what a packed matrix is filled up by: zeros whose gradients are zeros
  size_t outputs = 0, inputs = 0;  // of the tensor; inputs = 1 for a vector
  bool matrix = false;             // packed
  Start start = Start::kMatrix;
  AlignedFloats gradient;
};

class Parameters {
 public:
  // The slots' weights are of floats and have been reserved. They outlive the parameters. Without `gradients` there is
  // no room for them.
  explicit Parameters(WeightSlots& slots, bool gradients = true);

  std::vector<LearntParameter>& all() { return all_; }
  const std::vector<LearntParameter>& all() const { return all_; }
  size_t count() const;  // numbers to learn

  void Watch(Tape& tape);
  void ClearGradients();
  // The start piece's row of every table of pieces: it is zero, and stays so.
  void ClearStart(size_t row);
  void ClearStartGradient(size_t row);

 private:
  std::vector<LearntParameter> all_;
};

// A tensor between its packing in memory and the rows of a file, [outputs, inputs].
void Unpack(const LearntParameter& parameter, const float* packed, float* rows);
void PackInto(const LearntParameter& parameter, const float* rows, float* packed);

}  // namespace qkv
