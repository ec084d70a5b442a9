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
constexpr size_t kMostTensors = 100000;

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

size_t Width(std::string_view dtype) { return dtype == "F32" ? 4 : 2; }

void ReadRow(std::string_view dtype, const uint8_t* bytes, std::vector<float>& row) {
  if (dtype == "F32") {
    std::memcpy(row.data(), bytes, row.size() * sizeof(float));
  } else if (dtype == "F16") {
    for (size_t i = 0; i < row.size(); ++i) row[i] = Half(Load<uint16_t>(bytes + 2 * i));
  } else {  // BF16
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = std::bit_cast<float>(uint32_t{Load<uint16_t>(bytes + 2 * i)} << 16);
  }
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
  if (header.root().MemberCount() > kMostTensors) {
    return Error{ErrorCode::kLimitExceeded, "the header names more than " + std::to_string(kMostTensors) + " tensors",
                 file_};
  }
  std::vector<Entry> wanted;
  std::vector<std::pair<ByteRange, std::string>> ranges;
  for (const auto& member : header.root().GetObject()) {
    const std::string name(member.name.GetString(), member.name.GetStringLength());
    if (name == "__metadata__") continue;
    QKV_TRY(Entry entry, ReadEntry(name, member.value));
    ranges.emplace_back(entry.range, name);
    QKV_TRY(const bool seated, FindSeat(entry));
    if (seated) wanted.push_back(std::move(entry));
  }
  QKV_CHECK(CheckOverlaps(std::move(ranges)));
  QKV_CHECK(ChooseTensors(wanted));
  header_read_ = true;
  return {};
}

Result<SafetensorsReader::Entry> SafetensorsReader::ReadEntry(const std::string& name, const Json& json) const {
  if (!json.IsObject()) return Invalid(name, "its entry must be an object");
  const auto type = json.FindMember("dtype"), shape = json.FindMember("shape"),
             offsets = json.FindMember("data_offsets");
  const auto none = json.MemberEnd();
  if (type == none || !type->value.IsString()) return Invalid(name, "dtype must be a string");
  if (shape == none || !shape->value.IsArray()) return Invalid(name, "shape must be an array");
  if (offsets == none || !offsets->value.IsArray() || offsets->value.Size() != 2 || !offsets->value[0].IsUint64() ||
      !offsets->value[1].IsUint64()) {
    return Invalid(name, "data_offsets must be two integers");
  }
  Entry entry{name, {type->value.GetString(), type->value.GetStringLength()}, {}, {}, 0};
  for (const Json& size : shape->value.GetArray()) {
    if (!size.IsUint64()) return Invalid(name, "shape must hold sizes");
    entry.shape.push_back(size.GetUint64());
  }
  const uint64_t data = kLengthBytes + header_length_;
  const uint64_t begin = offsets->value[0].GetUint64(), end = offsets->value[1].GetUint64();
  if (begin > end || end > kLargestFile || (file_size_ != 0 && end > file_size_ - data)) {
    return Invalid(name,
                   "data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "] lie outside the file");
  }
  entry.range = {data + begin, end - begin};
  return entry;
}

// Whether the model has a seat for the tensor, which is then noted; tensors that it computes by itself have none.
Result<bool> SafetensorsReader::FindSeat(Entry& entry) const {
  const auto among = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), entry.name) != names.end();
  };
  for (size_t s = 0; s < slots_.slots.size(); ++s) {
    if (!among(slots_.slots[s].names)) continue;
    if (entry.dtype != "F32" && entry.dtype != "F16" && entry.dtype != "BF16") {
      return Error{ErrorCode::kUnsupported, "dtype " + entry.dtype + " is not one of F32, F16, BF16",
                   file_ + ", " + entry.name};
    }
    entry.slot = s;
    return true;
  }
  if (among(slots_.ignored)) return false;
  return Error{ErrorCode::kUnsupported, "the model described by config.json has no place for this tensor",
               file_ + ", " + entry.name};
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
Result<void> SafetensorsReader::ChooseTensors(const std::vector<Entry>& entries) {
  for (size_t s = 0; s < slots_.slots.size(); ++s) {
    const WeightSlot& slot = slots_.slots[s];
    const Entry* chosen = nullptr;
    for (const std::string& name : slot.names) {
      for (const Entry& entry : entries) {
        if (entry.slot != s || entry.name != name) continue;
        if (chosen != nullptr && chosen->name == name) return Invalid(name, "the header names it twice");
        if (chosen == nullptr) chosen = &entry;
      }
    }
    if (chosen != nullptr) {
      QKV_CHECK(CheckShape(*chosen));
      tensors_.push_back({chosen->name, chosen->dtype, chosen->range, s});
    } else if (slot.optional) {
      *std::get<Vector*>(slot.to) = Vector::Zero(static_cast<Eigen::Index>(slot.outputs));
    } else {
      return Invalid(slot.names.front(), "this tensor is missing");
    }
  }
  std::sort(tensors_.begin(), tensors_.end(),
            [](const Tensor& a, const Tensor& b) { return a.range.offset < b.range.offset; });
  return {};
}

Result<void> SafetensorsReader::CheckShape(const Entry& entry) const {
  using Sizes = std::vector<uint64_t>;
  const WeightSlot& slot = slots_.slots[entry.slot];
  const bool matrix = std::holds_alternative<PackedMatrix*>(slot.to);
  const Sizes wanted = matrix ? Sizes{slot.outputs, slot.inputs} : Sizes{slot.outputs};
  const bool row = !matrix && entry.shape == Sizes{1, slot.outputs};
  if (entry.shape != wanted && !row) {
    return Invalid(entry.name, "its shape is " + Shape(entry.shape) + "; config.json asks for " + Shape(wanted));
  }
  const uint64_t bytes = uint64_t{slot.outputs} * slot.inputs * Width(entry.dtype);
  if (entry.range.length != bytes) {
    return Invalid(entry.name, "its data_offsets span " + std::to_string(entry.range.length) +
                                   " bytes; its shape and dtype need " + std::to_string(bytes));
  }
  return {};
}

Result<void> SafetensorsReader::ReadTensor(const Tensor& tensor, std::span<const uint8_t> bytes) {
  const WeightSlot& slot = slots_.slots[tensor.slot];
  PackedMatrix* const* matrix = std::get_if<PackedMatrix*>(&slot.to);
  Vector* const* vector = std::get_if<Vector*>(&slot.to);
  if (matrix != nullptr) **matrix = PackedMatrix(slot.outputs, slot.inputs);
  if (vector != nullptr) (*vector)->resize(static_cast<Eigen::Index>(slot.outputs));

  const size_t width = Width(tensor.dtype);
  std::vector<float> row(slot.inputs);
  for (size_t o = 0; o < slot.outputs; ++o) {
    ReadRow(tensor.dtype, bytes.data() + o * slot.inputs * width, row);
    for (const float value : row) {
      if (!std::isfinite(value)) return Invalid(tensor.name, "it holds a number that is not finite");
    }
    if (matrix != nullptr) (*matrix)->SetRow(o, row.data());
    if (vector != nullptr) (**vector)[static_cast<Eigen::Index>(o)] = row[0];
  }
  parameters_ += slot.outputs * slot.inputs;
  return {};
}

}  // namespace qkv
