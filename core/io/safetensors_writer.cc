#include "core/io/safetensors_writer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/int4.h"

namespace qkv {
namespace {

template <class T>
void Write(const ByteSink& out, const T* values, size_t count) {
  out({reinterpret_cast<const char*>(values), count * sizeof(T)});
}

// The outputs of the tensor that a slot is, or is a part of.
size_t OutputsOf(const WeightSlot& slot) { return slot.whole != 0 ? slot.whole : slot.outputs; }

class Header {
 public:
  void Add(const std::string& name, const char* dtype, const std::string& shape, uint64_t bytes) {
    text_ += (text_.size() == 1 ? "\"" : ",\"") + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
             ",\"data_offsets\":[" + std::to_string(end_) + "," + std::to_string(end_ + bytes) + "]}";
    end_ += bytes;
  }
  // The header is padded, so that the tensors are aligned.
  std::string Text() const {
    std::string text = text_ + "}";
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
  }

 private:
  std::string text_ = "{";
  uint64_t end_ = 0;
};

// An output's weights as they are written.
struct Int8Row {
  std::vector<int8_t> weights;
  float scale = 0;
};

void ReadRow(const Weight& weight, size_t output, std::vector<float>& floats, Int8Row& row) {
  if (weight.quantized()) {
    weight.int8().GetRow(output, row.weights.data());
    row.scale = weight.int8().scales()[output];
  } else {
    weight.GetRow(output, floats.data());
    row.scale = QuantizeWeights(floats.data(), floats.size(), row.weights.data());
  }
}

void WriteInt8(const Weight& weight, const ByteSink& out) {
  std::vector<float> floats(weight.inputs()), scales;
  Int8Row row{std::vector<int8_t>(weight.inputs())};
  for (size_t o = 0; o < weight.outputs(); ++o) {
    ReadRow(weight, o, floats, row);
    Write(out, row.weights.data(), row.weights.size());
    scales.push_back(row.scale);
  }
  Write(out, scales.data(), scales.size());
}

// Floats are packed directly, without rounding to int8 first.
void WriteInt4(const Weight& weight, const ByteSink& out) {
  std::vector<float> row(weight.inputs()), scales;
  std::vector<uint8_t> packed(Int4Bytes(weight.inputs()));
  for (size_t o = 0; o < weight.outputs(); ++o) {
    weight.GetRow(o, row.data());
    scales.push_back(weight.quantized() ? weight.int8().scales()[o] : ScaleOfWeights(row.data(), row.size()));
    PackInt4(row.data(), row.size(), scales.back(), packed.data());
    Write(out, packed.data(), packed.size());
  }
  Write(out, scales.data(), scales.size());
}

void WriteFloats(const float* values, size_t count, FloatsAs floats, const ByteSink& out) {
  if (floats != FloatsAs::kF16) return Write(out, values, count);
  std::vector<Eigen::half> halves(values, values + count);
  Write(out, halves.data(), count);
}

void WriteFloats(const Weight& weight, FloatsAs floats, const ByteSink& out) {
  std::vector<float> row(weight.inputs());
  for (size_t o = 0; o < weight.outputs(); ++o) {
    weight.GetRow(o, row.data());
    WriteFloats(row.data(), row.size(), floats, out);
  }
}

// The slots of the tensor whose first part is `slot`.
std::vector<const WeightSlot*> PartsOf(const WeightSlots& slots, const WeightSlot& slot) {
  if (slot.whole == 0) return {&slot};
  std::vector<const WeightSlot*> parts;
  for (const WeightSlot& each : slots.slots) {
    if (each.names.front() == slot.names.front()) parts.push_back(&each);
  }
  return parts;
}

// Writes a tensor that several slots fill, or that files store as [inputs, outputs]: it is put together in memory
// first.
void WriteStaged(const std::vector<const WeightSlot*>& parts, FloatsAs floats, const ByteSink& out) {
  const WeightSlot& first = *parts.front();
  const size_t inputs = first.inputs, outputs = OutputsOf(first);
  std::vector<float> tensor(inputs * outputs), row(inputs);
  for (const WeightSlot* const part : parts) {
    for (size_t o = 0; o < part->outputs; ++o) {
      if (Weight* const* matrix = std::get_if<Weight*>(&part->to)) {
        (*matrix)->GetRow(o, row.data());
      } else {
        row[0] = std::get<Vector*>(part->to)->data()[o];
      }
      const size_t output = part->first + o;
      for (size_t i = 0; i < inputs; ++i)
        tensor[first.transposed ? i * outputs + output : output * inputs + i] = row[i];
    }
  }
  WriteFloats(tensor.data(), tensor.size(), floats, out);
}

bool AsInt8(const WeightSlot& slot, FloatsAs floats) {
  if (floats == FloatsAs::kInt8 || floats == FloatsAs::kInt4) return MayBeIntegers(slot);
  Weight* const* matrix = std::get_if<Weight*>(&slot.to);
  return matrix != nullptr && !IsStaged(slot) && (*matrix)->quantized();
}

// Whether a matrix that is written as integers is written in 4 bits.
bool AsInt4(const WeightSlot& slot, FloatsAs floats) { return floats == FloatsAs::kInt4 && IsForInt4(slot); }

// Adds the header's entries of one tensor: its name, dtype, shape and bytes; integers also have one of their scales.
void Describe(const WeightSlot& slot, FloatsAs floats, Header& header) {
  const std::string& name = slot.names.front();
  std::string outputs = std::to_string(OutputsOf(slot)), inputs = std::to_string(slot.inputs);
  const uint64_t count = uint64_t{OutputsOf(slot)} * slot.inputs;
  const bool half = floats == FloatsAs::kF16;
  const char* dtype = half ? "F16" : "F32";
  const size_t bytes = half ? sizeof(Eigen::half) : sizeof(float);
  // A vector is always written in floats.
  if (std::holds_alternative<Vector*>(slot.to)) {
    return header.Add(name, dtype, (slot.row ? "[1," : "[") + outputs + "]", count * bytes);
  }
  // A matrix in floats, in 8 bits or in 4. Two numbers of 4 bits are in one byte, so rows are half as long.
  if (slot.transposed) std::swap(outputs, inputs);
  const std::string shape = "[" + outputs + "," + inputs + "]";
  if (!AsInt8(slot, floats)) return header.Add(name, dtype, shape, count * bytes);
  if (AsInt4(slot, floats)) {
    const uint64_t bytes = Int4Bytes(slot.inputs);
    header.Add(name, "U8", "[" + outputs + "," + std::to_string(bytes) + "]", slot.outputs * bytes);
  } else {
    header.Add(name, "I8", shape, count);
  }
  header.Add(name + "_scale", "F32", "[" + outputs + "]", slot.outputs * sizeof(float));
}

}  // namespace

void WriteSafetensors(const WeightSlots& slots, FloatsAs floats, const ByteSink& out) {
  // The header: its length in 8 bytes, then JSON with the place of every tensor. A tensor of several slots is described
  // by the first of them.
  Header header;
  // The tensors, in the order of the header.
  for (const WeightSlot& slot : slots.slots) {
    if (slot.first == 0) Describe(slot, floats, header);
  }
  const std::string text = header.Text();
  const uint64_t length = text.size();
  Write(out, &length, 1);
  Write(out, text.data(), text.size());
  for (const WeightSlot& slot : slots.slots) {
    if (slot.first != 0) continue;
    if (IsStaged(slot)) {
      WriteStaged(PartsOf(slots, slot), floats, out);
    } else if (Weight* const* matrix = std::get_if<Weight*>(&slot.to)) {
      if (!AsInt8(slot, floats)) {
        WriteFloats(**matrix, floats, out);
      } else {
        AsInt4(slot, floats) ? WriteInt4(**matrix, out) : WriteInt8(**matrix, out);
      }
    } else {
      WriteFloats(std::get<Vector*>(slot.to)->data(), slot.outputs, floats, out);
    }
  }
}

}  // namespace qkv
