// The gradients of one call of attention, by name. The tests of the backward share this file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/attention/attend_backward.h"
#include "tests/core/attention_goldens.h"

namespace qkv {

// Gradients of everything that a call can have a gradient of. All begin at zero.
class GatheredGradients {
 public:
  GatheredGradients(const Attention& call, const AttentionInputs& in) {
    to_.query = Zeros("query", in.query);
    to_.key = Zeros("key", in.key);
    to_.value = Zeros("value", in.value);
    for (const Parameter& p : call.parameters) {
      parameters_.push_back({p.name, Zeros(std::string(p.name), p.value)});
    }
    to_.parameters = parameters_;
    to_.W_p = Zeros("W_p", call.window.W_p);
    to_.v_p = Zeros("v_p", call.window.v_p);
    to_.centres = Zeros("centres", call.window.centres);
    if (call.mask.bias == nullptr) return;
    const size_t heads = call.mask.bias_head_stride != 0 ? in.query.heads : 1;
    named_["bias"].resize(heads * in.query.rows * in.key.rows);
    to_.bias = named_["bias"].data();
  }
  GatheredGradients(const GatheredGradients&) = delete;
  GatheredGradients& operator=(const GatheredGradients&) = delete;

  const AttentionGradients& to() const { return to_; }
  const std::map<std::string, std::vector<float>>& named() const { return named_; }

 private:
  // Gradients of dense values.
  Heads Zeros(const std::string& name, ConstHeads value) {
    if (value.data == nullptr) return {};
    std::vector<float>& room = named_[name];
    room.resize(value.heads * value.rows * value.dim);
    return Dense(room.data(), value.heads, value.rows, value.dim);
  }

  std::map<std::string, std::vector<float>> named_;
  std::vector<ParameterGradient> parameters_;
  AttentionGradients to_;
};

inline std::map<std::string, std::vector<float>> Gradients(const Attention& call, const AttentionInputs& in,
                                                           const AttentionLoss& loss, size_t threads = 1) {
  Arena arena;
  ThreadPool pool(threads);
  Context ctx{arena, pool};
  const GatheredGradients gradients(call, in);
  AttendBackward(ctx, call, in, loss, gradients.to());
  return gradients.named();
}

inline ConstHeads LikeOutput(const AttentionInputs& in, const std::vector<float>& gradient) {
  return Dense(gradient.data(), in.query.heads, in.query.rows, in.value.dim);
}

}  // namespace qkv
