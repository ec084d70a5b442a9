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
#include "core/kernels/int4.h"
#include "core/layers/weight.h"

namespace qkv {

// How a weight is initialised for training (core/train/initialise.h).
enum class Start {
  kMatrix,     // a projection: Glorot and Bengio 2010
  kEmbedding,  // rows of length about 1: normal, of variance 1 / d
  kZeros,
  kOnes,        // a norm's gain
  kForgetting,  // an LSTM's bias, of its four gates: the forget gate's is 1, the others are 0
};

struct WeightSlot {
  // The tensor's possible names, the most usual first. A file has at least one of them; the first found is used.
  std::vector<std::string> names;
  // [outputs, inputs] for a matrix; [size] for a vector, which files may also write as [1, size].
  size_t outputs = 0, inputs = 0;
  std::variant<Weight*, Vector*> to;
  bool optional = false;  // a vector that may be absent; then it is zeros
  Start start = Start::kMatrix;
  bool transposed = false;  // a matrix that files write as [inputs, outputs]
  // If several slots are parts of one tensor: its number of outputs, and the first one of this slot.
  size_t whole = 0, first = 0;
  bool exact = false;  // stays float when others become int8 while loading
  bool int8 = false;   // is written in 8 bits when others are written in 4
  bool row = false;    // a vector that is written as [1, size]
  size_t absent = 0;   // the number of last outputs that files do not have; they are zeros
};

// Whether the layout of the tensor is not that of its destination, or there are several destinations.
inline bool IsStaged(const WeightSlot& slot) { return slot.transposed || slot.whole != 0; }

// Whether files may hold the tensor in int8 or int4.
inline bool MayBeIntegers(const WeightSlot& slot) {
  return std::holds_alternative<Weight*>(slot.to) && !IsStaged(slot) && !slot.exact;
}

// Whether files may hold the tensor in int4, and this one shall.
inline bool IsForInt4(const WeightSlot& slot) { return MayBeIntegers(slot) && FitsInt4(slot.inputs) && !slot.int8; }

struct WeightSlots {
  std::vector<WeightSlot> slots;
  // Tensors in files that the model computes itself or does not need. They are skipped; other unknown tensors are an
  // error. A name that begins with "*" matches all names that end with the rest.
  std::vector<std::string> ignored;
  // The file that determines the tensors and their shapes, for errors.
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

// Allocates every slot as floats: matrices are not initialised, vectors are zeros.
void ReserveFloats(WeightSlots& slots);

}  // namespace qkv
