#include "core/train/parameters.h"

#include <algorithm>

namespace qkv {
namespace {

// Where a slot's numbers lie, and how many.
LearntParameter Describe(WeightSlot& slot) {
  LearntParameter p;
  p.name = slot.names.front();
  p.part = slot.first;
  p.outputs = slot.outputs;
  p.inputs = slot.inputs;
  p.start = slot.start;
  if (Weight* const* weight = std::get_if<Weight*>(&slot.to)) {
    p.matrix = true;
    p.value = (*weight)->floats().data();
    p.size = (*weight)->floats().size();
  } else {
    Vector& vector = **std::get_if<Vector*>(&slot.to);
    p.value = vector.data();
    p.size = static_cast<size_t>(vector.size());
  }
  return p;
}

// Matrices are in panels of kPanel outputs, [inputs, kPanel] each (core/kernels/packed.h).
size_t PackedPlace(const LearntParameter& p, size_t output, size_t input) {
  return p.matrix ? (output / kPanel * p.inputs + input) * kPanel + output % kPanel : output;
}

}  // namespace

Parameters::Parameters(WeightSlots& slots, bool gradients) {
  for (WeightSlot& slot : slots.slots) {
    LearntParameter& p = all_.emplace_back(Describe(slot));
    if (gradients) p.gradient = AlignedFloats(p.size);
  }
  if (gradients) ClearGradients();
}

size_t Parameters::count() const {
  size_t count = 0;
  for (const LearntParameter& p : all_) count += p.outputs * p.inputs;
  return count;
}

void Parameters::Watch(Tape& tape) {
  for (LearntParameter& p : all_) tape.Watch(p.value, p.size, p.gradient.data());
}

void Parameters::ClearGradients() {
  for (LearntParameter& p : all_) std::fill_n(p.gradient.data(), p.size, 0.0f);
}

// The start piece is embedded as zeros, as MarianMT does it; training must not change that row.
void Parameters::ClearStart(size_t row) {
  for (LearntParameter& p : all_) {
    for (size_t i = 0; p.start == Start::kEmbedding && i < p.inputs; ++i) p.value[PackedPlace(p, row, i)] = 0;
  }
}

void Parameters::ClearStartGradient(size_t row) {
  for (LearntParameter& p : all_) {
    for (size_t i = 0; p.start == Start::kEmbedding && i < p.inputs; ++i) p.gradient.data()[PackedPlace(p, row, i)] = 0;
  }
}

void Unpack(const LearntParameter& p, const float* packed, float* rows) {
  for (size_t o = 0; o < p.outputs; ++o) {
    for (size_t i = 0; i < p.inputs; ++i) rows[o * p.inputs + i] = packed[PackedPlace(p, o, i)];
  }
}

void PackInto(const LearntParameter& p, const float* rows, float* packed) {
  for (size_t o = 0; o < p.outputs; ++o) {
    for (size_t i = 0; i < p.inputs; ++i) packed[PackedPlace(p, o, i)] = rows[o * p.inputs + i];
  }
}

}  // namespace qkv
