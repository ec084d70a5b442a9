// A layer's weight, in the number format of its file.
#pragma once

#include <utility>
#include <variant>

#include "core/kernels/packed.h"
#include "core/kernels/quantized.h"

namespace qkv {

enum class Numbers { kFloat, kInt8 };

// W [outputs, inputs], of floats or of int8 with a scale for each output.
class Weight {
 public:
  Weight() = default;
  Weight(PackedMatrix floats) : numbers_(std::move(floats)) {}
  // The layout for int8: rows of a table, or panels for products.
  explicit Weight(Int8Layout layout) : layout_(layout) {}

  // Allocates memory without initialising it; every row must be set.
  void Reserve(Numbers numbers, size_t outputs, size_t inputs) {
    if (numbers == Numbers::kInt8) {
      numbers_ = QuantizedMatrix(layout_, outputs, inputs);
    } else {
      numbers_ = PackedMatrix(outputs, inputs);
    }
  }
  // The bytes of such a weight.
  uint64_t Bytes(Numbers numbers, size_t outputs, size_t inputs) const {
    return numbers == Numbers::kInt8 ? QuantizedMatrix::Bytes(layout_, outputs, inputs)
                                     : PackedMatrix::Bytes(outputs, inputs);
  }

  bool quantized() const { return std::holds_alternative<QuantizedMatrix>(numbers_); }
  const PackedMatrix& floats() const { return *std::get_if<PackedMatrix>(&numbers_); }
  PackedMatrix& floats() { return *std::get_if<PackedMatrix>(&numbers_); }
  const QuantizedMatrix& int8() const { return *std::get_if<QuantizedMatrix>(&numbers_); }
  QuantizedMatrix& int8() { return *std::get_if<QuantizedMatrix>(&numbers_); }

  size_t outputs() const { return quantized() ? int8().outputs() : floats().outputs(); }
  size_t inputs() const { return quantized() ? int8().inputs() : floats().inputs(); }
  void GetRow(size_t output, float* weights) const {
    if (quantized()) {
      int8().GetRow(output, weights);
    } else {
      floats().GetRow(output, weights);
    }
  }

 private:
  std::variant<PackedMatrix, QuantizedMatrix> numbers_;
  Int8Layout layout_ = Int8Layout::kPanels;
};

}  // namespace qkv
