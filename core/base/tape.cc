#include "core/base/tape.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace qkv {

// A parameter's gradient is the caller's memory and is always added to.
void Tape::Watch(const float* value, size_t size, float* gradient) {
  if (size == 0) return;
  Value& parameter = values_[value];
  parameter.size = size;
  parameter.gradient = gradient;
  parameter.written = parameter.parameter = true;
}

void Tape::Record(ConstMatrixView output, std::function<void()> backward) {
  if (output.size() == 0) return;
  // The first operation that writes a value creates it; later ones write into it.
  const auto [at, created] = values_.try_emplace(output.data());
  if (created) at->second.size = static_cast<size_t>(output.size());
  steps_.push_back({output.data(), created, std::move(backward)});
}

// The value whose memory holds x, which may be a row or a column within it.
Tape::Values::iterator Tape::Find(const float* x) {
  auto at = values_.upper_bound(x);
  if (at == values_.begin()) return values_.end();
  --at;
  return x < at->first + at->second.size ? at : values_.end();
}

// The smallest free buffer that is large enough, or a new one.
void Tape::Reserve(Value& value) {
  if (value.gradient != nullptr) return;
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->size() >= value.size && (best == free_.end() || it->size() < best->size())) best = it;
  }
  if (best != free_.end()) {
    value.own = std::move(*best);
    free_.erase(best);
  } else {
    value.own = AlignedFloats(value.size);
  }
  value.gradient = value.own.data();
}

void Tape::Release(Value& value) {
  if (value.own.data() != nullptr) free_.push_back(std::move(value.own));
}

// The gradient at x, zeros if nothing has been added yet.
float* Tape::Gradient(const float* x) {
  const auto at = Find(x);
  if (at == values_.end()) return nullptr;
  Value& value = at->second;
  Reserve(value);
  if (!value.written) std::fill_n(value.gradient, value.size, 0.0f);
  value.written = true;
  return value.gradient + (x - at->first);
}

// A gradient that is written as a whole need not be cleared: the first caller sets it, later ones add to it.
Tape::Sum Tape::Into(const float* x) {
  const auto at = Find(x);
  if (at == values_.end()) return {};
  if (at->first != x || at->second.parameter) return {Gradient(x), true};
  Value& value = at->second;
  Reserve(value);
  return {value.gradient, std::exchange(value.written, true)};
}

void Tape::SetGradient(const float* x, float* gradient) {
  const auto at = Find(x);
  assert(at != values_.end() && at->first == x && at->second.gradient == nullptr);
  at->second.gradient = gradient;
  at->second.written = true;
}

void Tape::Backward() {
  // In reverse order. An operation whose output has no gradient does not matter to the loss.
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto at = values_.find(step->output);
    if (at->second.written) step->backward();
    if (on_backward) on_backward(static_cast<size_t>(steps_.rend() - step) - 1);
    // No earlier step reads the value, so its buffer is free for others.
    if (!step->creates) continue;
    Release(at->second);
    values_.erase(at);
  }
  steps_.clear();
}

}  // namespace qkv
