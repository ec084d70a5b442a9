// The weights of a model: names, shapes and where each is stored. A reader (core/io) fills them; the model does not
// know the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/matrix.h"
#include "core/layers/weight.h"

namespace qkv {

// How a weight is initialised for training (core/train/initialise.h).
enum class Start {
  kMatrix,     // a projection: Glorot and Bengio 2010
  kEmbedding,  // rows of length about 1: normal, of variance 1 / d
  kZeros,
  kOnes,        // a norm's gain
  kForgetting,  // an LSTM's bias, of its four gates: that of the second, by which it keeps what it knows, is 1
};

struct WeightSlot {
  // What the tensor may be called, most usual first; a file has at least one of them, and the first found is taken.
  std::vector<std::string> names;
  // [outputs, inputs] for a matrix; [size] for a vector, which files may also write as [1, size].
  size_t outputs = 0, inputs = 0;
  std::variant<Weight*, Vector*> to;
  bool optional = false;  // a vector that may be absent: zeros then
  Start start = Start::kMatrix;
  bool transposed = false;  // a matrix that files write as [inputs, outputs]
  // Where several slots are parts of one tensor: how many outputs that has, and which of them is this one's first.
  size_t whole = 0, first = 0;
  bool exact = false;  // stays of floats where others become int8 on arrival
  size_t absent = 0;   // of the outputs, the last ones, which files do not have: zeros
};

struct WeightSlots {
  std::vector<WeightSlot> slots;
  // Tensors that files carry and the model computes by itself, or has no use for; skipped. Others are an error. A name
  // that begins with "*" stands for all that end with the rest.
  std::vector<std::string> ignored;
  // What says which tensors there are, and their shapes: for errors.
  const char* described_by = "config.json";

  bool Ignores(std::string_view name) const {
    return std::any_of(ignored.begin(), ignored.end(), [&](const std::string& each) {
      return each.starts_with('*') ? name.ends_with(std::string_view(each).substr(1)) : name == each;
    });
  }
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
