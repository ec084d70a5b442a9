#include "core/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/json.h"

namespace qkv {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLargestHeader = uint64_t{64} << 20;
constexpr uint64_t kLargestFile = uint64_t{1} << 40;

std::string Shape(const std::vector<uint64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

float Half(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(fraction), -24), sign != 0 ? -1.0f : 1.0f);
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

template <class T>
T Load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "files are little-endian, and so are all our targets");

SafetensorsReader::SafetensorsReader(WeightSlots slots, uint64_t file_size, std::string file_name)
    : slots_(std::move(slots)), file_size_(file_size), file_(std::move(file_name)) {}

Error SafetensorsReader::Invalid(const std::string& tensor, std::string message) const {
  return {ErrorCode::kInvalidFile, std::move(message), tensor.empty() ? file_ : file_ + ", " + tensor};
}

ByteRange SafetensorsReader::Next() const {
  if (header_length_ == 0) return {0, kLengthBytes};
  if (!header_read_) return {kLengthBytes, header_length_};
  if (next_ < tensors_.size()) return tensors_[next_].range;
  return {};
}

Result<void> SafetensorsReader::Feed(std::span<const uint8_t> bytes) {
  if (bytes.size() != Next().length) {
    return Invalid(header_read_ && next_ < tensors_.size() ? tensors_[next_].name : "",
                   "the file is cut short: " + std::to_string(Next().length) + " bytes were wanted at " +
                       std::to_string(Next().offset) + ", " + std::to_string(bytes.size()) + " came");
  }
  if (header_length_ == 0) return ReadLength(bytes);
  if (!header_read_) return ReadHeader({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (next_ == tensors_.size()) return {};
  return ReadTensor(tensors_[next_++], bytes);
}

Result<void> SafetensorsReader::ReadLength(std::span<const uint8_t> bytes) {
  header_length_ = Load<uint64_t>(bytes.data());
  if (header_length_ < 2) return Invalid("", "the header is empty; this is not a safetensors file");
  if (file_size_ != 0 && (header_length_ > file_size_ || header_length_ + kLengthBytes > file_size_)) {
    return Invalid("", "the header claims " + std::to_string(header_length_) + " bytes, more than the file has");
  }
  if (header_length_ > kLargestHeader) {
    return Error{ErrorCode::kLimitExceeded,
                 "the header claims " + std::to_string(header_length_) + " bytes; at most 64 MiB are read", file_};
  }
  return {};
}

Result<void> SafetensorsReader::ReadHeader(std::string_view text) {
  QKV_TRY(const JsonObject header, JsonObject::Parse(text, file_));
  const uint64_t data = kLengthBytes + header_length_;
  std::vector<std::pair<Tensor, std::vector<uint64_t>>> found;
  std::vector<std::pair<ByteRange, std::string>> ranges;
  for (const auto& member : header.root().GetObject()) {
    std::string name(member.name.GetString(), member.name.GetStringLength());
    if (name == "__metadata__") continue;
    const Json& entry = member.value;
    if (!entry.IsObject()) return Invalid(name, "its entry must be an object");
    const auto type = entry.FindMember("dtype"), shape = entry.FindMember("shape"),
               offsets = entry.FindMember("data_offsets");
    const auto none = entry.MemberEnd();
    if (type == none || !type->value.IsString()) return Invalid(name, "dtype must be a string");
    if (shape == none || !shape->value.IsArray()) return Invalid(name, "shape must be an array");
    if (offsets == none || !offsets->value.IsArray() || offsets->value.Size() != 2 || !offsets->value[0].IsUint64() ||
        !offsets->value[1].IsUint64()) {
      return Invalid(name, "data_offsets must be two integers");
    }
    const uint64_t begin = offsets->value[0].GetUint64(), end = offsets->value[1].GetUint64();
    if (begin > end || end > kLargestFile || (file_size_ != 0 && end > file_size_ - data)) {
      return Invalid(name,
                     "data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "] lie outside the file");
    }
    std::vector<uint64_t> sizes;
    for (const Json& size : shape->value.GetArray()) {
      if (!size.IsUint64()) return Invalid(name, "shape must hold sizes");
      sizes.push_back(size.GetUint64());
    }
    Tensor tensor{name, Type::kF32, {data + begin, end - begin}, 0};
    ranges.push_back({tensor.range, name});
    const std::string_view dtype(type->value.GetString(), type->value.GetStringLength());
    const auto seat = std::find_if(slots_.slots.begin(), slots_.slots.end(), [&](const WeightSlot& slot) {
      return std::find(slot.names.begin(), slot.names.end(), name) != slot.names.end();
    });
    if (seat == slots_.slots.end()) {
      const auto& ignored = slots_.ignored;
      if (std::find(ignored.begin(), ignored.end(), name) != ignored.end()) continue;
      return Error{ErrorCode::kUnsupported, "the model described by config.json has no place for this tensor",
                   file_ + ", " + name};
    }
    if (dtype == "F16") {
      tensor.type = Type::kF16;
    } else if (dtype == "BF16") {
      tensor.type = Type::kBF16;
    } else if (dtype != "F32") {
      return Error{ErrorCode::kUnsupported, "dtype " + std::string(dtype) + " is not one of F32, F16, BF16",
                   file_ + ", " + name};
    }
    tensor.slot = static_cast<size_t>(seat - slots_.slots.begin());
    found.emplace_back(std::move(tensor), std::move(sizes));
  }
  QKV_CHECK(CheckOverlaps(std::move(ranges)));
  QKV_CHECK(ChooseTensors(std::move(found)));
  header_read_ = true;
  return {};
}

Result<void> SafetensorsReader::CheckOverlaps(std::vector<std::pair<ByteRange, std::string>> ranges) const {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first.offset < b.first.offset; });
  for (size_t i = 1; i < ranges.size(); ++i) {
    const ByteRange& before = ranges[i - 1].first;
    if (before.offset + before.length > ranges[i].first.offset) {
      return Invalid(ranges[i].second, "its bytes overlap those of " + ranges[i - 1].second);
    }
  }
  return {};
}

// One tensor a slot, of the slot's shape.
Result<void> SafetensorsReader::ChooseTensors(std::vector<std::pair<Tensor, std::vector<uint64_t>>> found) {
  for (size_t s = 0; s < slots_.slots.size(); ++s) {
    const WeightSlot& slot = slots_.slots[s];
    const std::pair<Tensor, std::vector<uint64_t>>* chosen = nullptr;
    for (const std::string& name : slot.names) {
      for (const auto& candidate : found) {
        if (candidate.first.slot != s || candidate.first.name != name) continue;
        if (chosen != nullptr && chosen->first.name == name) return Invalid(name, "the header names it twice");
        if (chosen == nullptr) chosen = &candidate;
      }
    }
    if (chosen == nullptr) {
      if (!slot.optional) return Invalid(slot.names.front(), "this tensor is missing");
      *std::get<Vector*>(slot.to) = Vector::Zero(static_cast<Eigen::Index>(slot.outputs));
      continue;
    }
    const auto& [tensor, shape] = *chosen;
    const bool matrix = std::holds_alternative<PackedMatrix*>(slot.to);
    const std::vector<uint64_t> wanted =
        matrix ? std::vector<uint64_t>{slot.outputs, slot.inputs} : std::vector<uint64_t>{slot.outputs};
    const bool row = !matrix && shape == std::vector<uint64_t>{1, slot.outputs};
    if (shape != wanted && !row) {
      return Invalid(tensor.name, "its shape is " + Shape(shape) + "; config.json asks for " + Shape(wanted));
    }
    const uint64_t bytes = uint64_t{slot.outputs} * slot.inputs * (tensor.type == Type::kF32 ? 4 : 2);
    if (tensor.range.length != bytes) {
      return Invalid(tensor.name, "its data_offsets span " + std::to_string(tensor.range.length) +
                                      " bytes; its shape and dtype need " + std::to_string(bytes));
    }
    tensors_.push_back(tensor);
  }
  std::sort(tensors_.begin(), tensors_.end(),
            [](const Tensor& a, const Tensor& b) { return a.range.offset < b.range.offset; });
  return {};
}

Result<void> SafetensorsReader::ReadTensor(const Tensor& tensor, std::span<const uint8_t> bytes) {
  const WeightSlot& slot = slots_.slots[tensor.slot];
  const size_t width = tensor.type == Type::kF32 ? 4 : 2;
  std::vector<float> row(slot.inputs);
  const auto read = [&](size_t index) {
    const uint8_t* at = bytes.data() + index * width;
    switch (tensor.type) {
      case Type::kF16:
        return Half(Load<uint16_t>(at));
      case Type::kBF16:
        return std::bit_cast<float>(uint32_t{Load<uint16_t>(at)} << 16);
      case Type::kF32:
        break;
    }
    return Load<float>(at);
  };
  if (PackedMatrix* const* matrix = std::get_if<PackedMatrix*>(&slot.to))
    **matrix = PackedMatrix(slot.outputs, slot.inputs);
  if (Vector* const* vector = std::get_if<Vector*>(&slot.to))
    (*vector)->resize(static_cast<Eigen::Index>(slot.outputs));
  for (size_t o = 0; o < slot.outputs; ++o) {
    for (size_t i = 0; i < slot.inputs; ++i) {
      row[i] = read(o * slot.inputs + i);
      if (!std::isfinite(row[i])) return Invalid(tensor.name, "it holds a number that is not finite");
    }
    if (PackedMatrix* const* matrix = std::get_if<PackedMatrix*>(&slot.to)) {
      (*matrix)->SetRow(o, row.data());
    } else {
      (**std::get_if<Vector*>(&slot.to))[static_cast<Eigen::Index>(o)] = row[0];
    }
  }
  parameters_ += slot.outputs * slot.inputs;
  return {};
}

}  // namespace qkv
