#include "core/train/int4_weights.h"

#include <algorithm>

#include "core/kernels/int4.h"
#include "core/kernels/quantized.h"

namespace qkv {
namespace {

// Replaces the weights of a row by their values in 4 bits.
void RoundRow(std::vector<float>& row, std::vector<uint8_t>& packed, std::vector<int8_t>& integers) {
  const float scale = ScaleOfWeights(row.data(), row.size());
  PackInt4(row.data(), row.size(), scale, packed.data());
  UnpackInt4(packed.data(), row.size(), integers.data());
  for (size_t i = 0; i < row.size(); ++i) row[i] = scale * static_cast<float>(integers[i]);
}

}  // namespace

Int4Weights::Int4Weights(WeightSlots slots, size_t threads) : pool_(threads) {
  for (WeightSlot& slot : slots.slots) {
    if (!IsForInt4(slot)) continue;
    PackedMatrix& weights = (*std::get_if<Weight*>(&slot.to))->floats();
    matrices_.push_back({&weights, AlignedFloats(weights.size())});
  }
}

void Int4Weights::Set() {
  for (Matrix& matrix : matrices_) {
    std::copy_n(matrix.weights->data(), matrix.weights->size(), matrix.kept.data());
    Round(matrix);
  }
}

void Int4Weights::Restore() {
  for (Matrix& matrix : matrices_) std::copy_n(matrix.kept.data(), matrix.weights->size(), matrix.weights->data());
}

void Int4Weights::Round(const Matrix& matrix) {
  const size_t inputs = matrix.weights->inputs();
  pool_.For(matrix.weights->outputs(), 16, [&](size_t begin, size_t end) {
    std::vector<float> row(inputs);
    std::vector<uint8_t> packed(Int4Bytes(inputs));
    std::vector<int8_t> integers(inputs);
    for (size_t o = begin; o < end; ++o) {
      matrix.weights->GetRow(o, row.data());
      RoundRow(row, packed, integers);
      matrix.weights->SetRow(o, row.data());
    }
  });
}

}  // namespace qkv
