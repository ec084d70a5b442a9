// What a forward leaves for its backward: for each operation a function that turns the gradient of its output into
// those of its inputs. An operation records itself where the context carries a tape; Backward runs the functions, last
// first.
//
// Gradients are found by the address of the value that they belong to. Those of parameters are the caller's and are
// added to; those of what a forward computed live from their first use until their operation's function has run, so
// that a few buffers serve a whole model, and stay for the next step.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "core/base/aligned.h"
#include "core/base/matrix.h"
#include "core/base/precision.h"

namespace qkv {

class Tape {
 public:
  explicit Tape(Precision precision = Precision::kFloat) : precision_(precision) {}

  // Of the products that it records.
  Precision precision() const { return precision_; }

  // Parameters: `gradient` has the size and the layout of `value`. Both outlive the tape.
  void Watch(const float* value, size_t size, float* gradient);

  // The operation that computed `output`. One that changed a former output in place records that one again.
  void Record(ConstMatrixView output, std::function<void()> backward);

  // For a Record's function. The gradient of the value at `x`, which may lie inside of a recorded output or a
  // parameter; zeros at first. Null where nobody wants one: `x` is a constant.
  float* Gradient(const float* x);
  // The same for a function that gives every element of the gradient of `x`: it adds or it writes.
  struct Sum {
    float* to = nullptr;
    bool add = false;
  };
  Sum Into(const float* x);
  // Takes `gradient` as that of the output `x`: memory of the caller's that outlives Backward.
  void Give(const float* x, float* gradient);

  // Runs all functions and forgets them. Outputs that got no gradient pass none on.
  void Backward();

 private:
  struct Value {
    size_t size = 0;
    float* gradient = nullptr;
    bool written = false;  // the gradient holds numbers
    bool parameter = false;
    AlignedFloats own;  // what `gradient` lies in, if it is the tape's
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
