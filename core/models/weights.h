// The seats that a model has for its weights: names, shapes and where each one goes. A reader (core/io) fills them; a
// model does not know from what file.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/base/matrix.h"
#include "core/layers/weight.h"

namespace qkv {

// What a weight is before it has learnt anything (core/train/initialise.h).
enum class Start {
  kMatrix,     // a projection: Glorot and Bengio 2010
  kEmbedding,  // rows of length about 1: normal, of variance 1 / d
  kZeros,
  kOnes,  // a norm's gain
};

struct WeightSlot {
  // What the tensor may be called, most usual first; a file has at least one of them, and the first found is taken.
  std::vector<std::string> names;
  // [outputs, inputs] for a matrix; [size] for a vector, which files may also write as [1, size].
  size_t outputs = 0, inputs = 0;
  std::variant<Weight*, Vector*> to;
  bool optional = false;  // a vector that may be absent: zeros then
  Start start = Start::kMatrix;
};

struct WeightSlots {
  std::vector<WeightSlot> slots;
  // Tensors that files carry and the model computes by itself; skipped. Others are an error.
  std::vector<std::string> ignored;

  void Add(std::string name, Weight& to, size_t outputs, size_t inputs) {
    slots.push_back({{std::move(name)}, outputs, inputs, &to, false});
  }
  void Add(std::string name, Vector& to, size_t size, Start start = Start::kZeros) {
    slots.push_back({{std::move(name)}, size, 1, &to, false, start});
  }
};

// Room for every slot, as floats: matrices not initialised, vectors of zeros.
void ReserveFloats(WeightSlots& slots);

}  // namespace qkv
