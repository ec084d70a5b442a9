// The tape of reverse-mode differentiation. In the forward pass each operation records a function that turns the
// gradient of its output into those of its inputs. Backward runs these functions, the last one first.
//
// A gradient is found by the address of its value. Gradients of parameters belong to the caller and are added to.
// Gradients of intermediate values live from their first use until their operation's function has run. A few buffers
// therefore serve a whole model, and they are used again in the next step.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "core/base/aligned.h"
#include "core/base/matrix.h"
#include "core/base/precision.h"

namespace qkv {

class AttentionTrace;  // core/attention/trace.h

class Tape {
 public:
  explicit Tape(Precision precision = Precision::kFloat) : precision_(precision) {}

  // The precision of the products that it records.
  Precision precision() const { return precision_; }

  // Parameters: `gradient` has the size and the layout of `value`. Both outlive the tape.
  void Watch(const float* value, size_t size, float* gradient);

  // Records the operation that computed `output`. An operation that changes an earlier output in place records it
  // again.
  void Record(ConstMatrixView output, std::function<void()> backward);

  // For recorded functions: the gradient of the value at `x`, which may be inside a recorded output or a parameter;
  // zeros at first. Null if `x` is a constant.
  float* Gradient(const float* x);
  // The same for a function that sets every element of the gradient of `x`: it adds, or it writes.
  struct Sum {
    float* to = nullptr;
    bool add = false;
  };
  Sum Into(const float* x);
  // Sets the gradient of the output `x`. The memory belongs to the caller and outlives Backward.
  void SetGradient(const float* x, float* gradient);

  // Runs all functions and removes them. An output without a gradient passes none.
  void Backward();

  // The number of functions that are recorded: the index of the next one.
  size_t recorded() const { return steps_.size(); }
  // Sees, in Backward, the index of each function that has run; may be empty.
  std::function<void(size_t index)> on_backward;
  // Sees each product x W' that is recorded, by the address of W's floats; may be empty.
  std::function<void(const float* weights, ConstMatrixView x)> on_product;

  // Gradients of the log-likelihood of each choice that the forward drew, one for each target row, and of its entropy
  // (core/train/rewards.h). Whoever draws sets `draws`; who knows the rewards sets the rest before Backward.
  struct Choices {
    bool draws = false;
    std::vector<float> likelihood;
    float entropy = 0;
  };
  Choices choices;

  // Where the backward of attention keeps the gradients of its weights, of one sequence; null: nowhere.
  AttentionTrace* weight_gradients = nullptr;

 private:
  struct Value {
    size_t size = 0;
    float* gradient = nullptr;
    bool written = false;  // the gradient holds numbers
    bool parameter = false;
    AlignedFloats own;  // the memory of `gradient`, if it belongs to the tape
  };
  struct Step {
    const float* output;
    bool creates;
    std::function<void()> backward;
  };
  using Values = std::map<const float*, Value>;

  Values::iterator Find(const float* x);
  void Reserve(Value& value);
  void Release(Value& value);

  Precision precision_;
  Values values_;
  std::vector<Step> steps_;
  std::vector<AlignedFloats> free_;
};

}  // namespace qkv
