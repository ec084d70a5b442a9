// A layer's weight, in the numbers that its file has.
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
  // How it is laid out if it comes as int8: a table's rows, or the panels of a layer's product.
  explicit Weight(Int8Layout layout) : layout_(layout) {}

  // Makes room, not initialised: every row has to be set.
  void Reserve(Numbers numbers, size_t outputs, size_t inputs) {
    if (numbers == Numbers::kInt8) {
      numbers_ = QuantizedMatrix(layout_, outputs, inputs);
    } else {
      numbers_ = PackedMatrix(outputs, inputs);
    }
  }
  // Bytes that such a weight takes.
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
