#include "core/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/base/json.h"

namespace qkv {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLargestHeader = uint64_t{4} << 20;
constexpr uint64_t kLargestFile = uint64_t{1} << 40;
constexpr uint64_t kMegabyte = 1000000;
constexpr const char* kScales = "_scale";  // what the name of an int8 matrix's scales ends with
// A tensor is read in parts of this many bytes, so that what a header claims costs nothing before its bytes are there.
constexpr uint64_t kPart = uint64_t{1} << 20;

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

// Bytes of a number; 0 for a type that is not read.
size_t Width(std::string_view dtype) {
  if (dtype == "F32") return 4;
  if (dtype == "F16" || dtype == "BF16") return 2;
  return dtype == "I8" ? 1 : 0;
}

Weight* MatrixOf(const WeightSlot& slot) {
  Weight* const* matrix = std::get_if<Weight*>(&slot.to);
  return matrix != nullptr ? *matrix : nullptr;
}

// Whether an allocation of so many bytes succeeds now: where memory cannot grow, the one that matters would end the
// program. Volatile, so that no compiler takes the pair for needless.
bool HasRoom(uint64_t bytes) {
  void* volatile room = std::malloc(static_cast<size_t>(bytes));
  std::free(room);
  return room != nullptr;
}

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

SafetensorsReader::SafetensorsReader(WeightSlots slots, uint64_t file_size, uint64_t memory, std::string file_name)
    : slots_(std::move(slots)), file_size_(file_size), memory_(memory), file_(std::move(file_name)) {
  for (size_t s = 0; s < slots_.slots.size(); ++s) {
    for (const std::string& name : slots_.slots[s].names) {
      seats_.push_back({name, s, false});
      if (MatrixOf(slots_.slots[s]) != nullptr) seats_.push_back({name + kScales, s, true});
    }
  }
  std::sort(seats_.begin(), seats_.end(), [](const Seat& a, const Seat& b) { return a.name < b.name; });
  numbers_.resize(slots_.slots.size(), Numbers::kFloat);
  has_room_.resize(slots_.slots.size());
}

Error SafetensorsReader::Invalid(const std::string& tensor, std::string message) const {
  return {ErrorCode::kInvalidFile, std::move(message), tensor.empty() ? file_ : file_ + ", " + tensor};
}

Error SafetensorsReader::NoRoom(const std::string& tensor, std::string message) const {
  return {ErrorCode::kLimitExceeded, std::move(message), tensor.empty() ? file_ : file_ + ", " + tensor};
}

ByteRange SafetensorsReader::Next() const {
  if (header_length_ == 0) return {0, kLengthBytes};
  if (!header_read_) return {kLengthBytes, header_length_};
  if (next_ == tensors_.size()) return {};
  const Tensor& tensor = tensors_[next_];
  const uint64_t rows = std::clamp<uint64_t>(kPart / tensor.row_bytes, 1, tensor.rows - row_);
  return {tensor.offset + row_ * tensor.row_bytes, rows * tensor.row_bytes};
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
  return ReadRows(tensors_[next_], bytes);
}

Result<void> SafetensorsReader::ReadLength(std::span<const uint8_t> bytes) {
  header_length_ = Load<uint64_t>(bytes.data());
  if (header_length_ < 2) return Invalid("", "the header is empty; this is not a safetensors file");
  if (file_size_ != 0 && (header_length_ > file_size_ || header_length_ + kLengthBytes > file_size_)) {
    return Invalid("", "the header claims " + std::to_string(header_length_) + " bytes, more than the file has");
  }
  if (header_length_ > kLargestHeader) {
    return Error{ErrorCode::kLimitExceeded,
                 "the header claims " + std::to_string(header_length_) + " bytes; at most 4 MiB are read", file_};
  }
  return {};
}

Result<void> SafetensorsReader::ReadHeader(std::string_view text) {
  QKV_TRY(const JsonObject header, JsonObject::Parse(text, file_, kLargestHeader));
  std::vector<Entry> entries;
  for (const auto& member : header.root().GetObject()) {
    const std::string name(member.name.GetString(), member.name.GetStringLength());
    if (name == "__metadata__") continue;
    QKV_TRY(Entry entry, ReadEntry(name, member.value));
    QKV_CHECK(FindSeat(entry));
    entries.push_back(std::move(entry));
  }
  QKV_CHECK(CheckOverlaps(entries));
  QKV_CHECK(ChooseTensors(std::move(entries)));
  QKV_CHECK(CheckMemory());
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
  Entry entry{name, {type->value.GetString(), type->value.GetStringLength()}, {}, {}, nullptr};
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

// Notes the tensor's seat. Those that the model computes by itself have none; they are let pass.
Result<void> SafetensorsReader::FindSeat(Entry& entry) const {
  const auto seat = std::lower_bound(seats_.begin(), seats_.end(), entry.name,
                                     [](const Seat& a, const std::string& name) { return a.name < name; });
  if (seat == seats_.end() || seat->name != entry.name) {
    const auto& ignored = slots_.ignored;
    if (std::find(ignored.begin(), ignored.end(), entry.name) != ignored.end()) return {};
    return Error{ErrorCode::kUnsupported, "the model described by config.json has no place for this tensor",
                 file_ + ", " + entry.name};
  }
  const bool matrix = MatrixOf(slots_.slots[seat->slot]) != nullptr;
  const bool known = seat->scales ? entry.dtype == "F32" : Width(entry.dtype) != 0 && (matrix || entry.dtype != "I8");
  if (!known) {
    const char* wanted = seat->scales ? "F32" : matrix ? "one of F32, F16, BF16, I8" : "one of F32, F16, BF16";
    return Error{ErrorCode::kUnsupported, "dtype " + entry.dtype + " is not " + wanted, file_ + ", " + entry.name};
  }
  entry.seat = &*seat;
  return {};
}

// Sorts the entries by offset.
Result<void> SafetensorsReader::CheckOverlaps(std::vector<Entry>& entries) const {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.range.offset, a.range.length) < std::pair(b.range.offset, b.range.length);
  });
  for (size_t i = 1; i < entries.size(); ++i) {
    const ByteRange& before = entries[i - 1].range;
    if (before.offset + before.length > entries[i].range.offset) {
      return Invalid(entries[i].name, "its bytes overlap those of " + entries[i - 1].name);
    }
  }
  return {};
}

// `entries` are sorted by name. Null where there is none.
const SafetensorsReader::Entry* SafetensorsReader::FindEntry(const std::vector<Entry>& entries,
                                                             const std::string& name) {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const Entry& entry, const std::string& wanted) { return entry.name < wanted; });
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

// One tensor a slot, of the slot's shape, and its scales where it is of int8; read in the order of the file.
Result<void> SafetensorsReader::ChooseTensors(std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].name == entries[i - 1].name) return Invalid(entries[i].name, "the header names it twice");
  }
  for (const WeightSlot& slot : slots_.slots) {
    const Entry* chosen = nullptr;
    for (const std::string& name : slot.names) {
      if (chosen == nullptr) chosen = FindEntry(entries, name);
    }
    if (chosen != nullptr) {
      QKV_TRY(Tensor tensor, CheckShape(*chosen));
      tensors_.push_back(std::move(tensor));
      QKV_CHECK(ChooseScales(entries, *chosen));
    } else if (slot.optional) {
      *std::get<Vector*>(slot.to) = Vector::Zero(static_cast<Eigen::Index>(slot.outputs));
    } else {
      return Invalid(slot.names.front(), "this tensor is missing");
    }
  }
  std::sort(tensors_.begin(), tensors_.end(), [](const Tensor& a, const Tensor& b) { return a.offset < b.offset; });
  return {};
}

Result<void> SafetensorsReader::ChooseScales(const std::vector<Entry>& entries, const Entry& chosen) {
  const Entry* const scales = FindEntry(entries, chosen.name + kScales);
  if (chosen.dtype != "I8") {
    if (scales == nullptr) return {};
    return Invalid(scales->name, "these are scales, but " + chosen.name + " is not I8");
  }
  if (scales == nullptr) return Invalid(chosen.name + kScales, "this tensor is missing: " + chosen.name + " is I8");
  QKV_TRY(Tensor tensor, CheckShape(*scales));
  tensors_.push_back(std::move(tensor));
  numbers_[chosen.seat->slot] = Numbers::kInt8;
  return {};
}

// Bytes that a tensor takes in its seat.
uint64_t SafetensorsReader::InMemory(size_t index) const {
  const WeightSlot& slot = slots_.slots[index];
  if (const Weight* matrix = MatrixOf(slot)) return matrix->Bytes(numbers_[index], slot.outputs, slot.inputs);
  return uint64_t{slot.outputs} * sizeof(float);
}

Result<void> SafetensorsReader::CheckMemory() {
  for (size_t s = 0; s < slots_.slots.size(); ++s) bytes_ += InMemory(s);
  if (bytes_ <= memory_) return {};
  return NoRoom("", "the model's weights take " + std::to_string(bytes_ / kMegabyte) + " MB of memory; " +
                        std::to_string(memory_ / kMegabyte) + " MB can be had: use a smaller model");
}

Result<SafetensorsReader::Tensor> SafetensorsReader::CheckShape(const Entry& entry) const {
  using Sizes = std::vector<uint64_t>;
  const WeightSlot& slot = slots_.slots[entry.seat->slot];
  const bool matrix = MatrixOf(slot) != nullptr && !entry.seat->scales;
  const Sizes wanted = matrix ? Sizes{slot.outputs, slot.inputs} : Sizes{slot.outputs};
  const bool row = !matrix && entry.shape == Sizes{1, slot.outputs};
  if (entry.shape != wanted && !row) {
    return Invalid(entry.name, "its shape is " + Shape(entry.shape) + "; config.json asks for " + Shape(wanted));
  }
  const uint64_t row_bytes = (matrix ? slot.inputs : 1) * Width(entry.dtype);
  const uint64_t bytes = slot.outputs * row_bytes;
  if (entry.range.length != bytes) {
    return Invalid(entry.name, "its data_offsets span " + std::to_string(entry.range.length) +
                                   " bytes; its shape and dtype need " + std::to_string(bytes));
  }
  const bool scales = entry.seat->scales;
  return Tensor{entry.name, entry.dtype, entry.range.offset, entry.seat->slot, scales, slot.outputs, row_bytes};
}

Result<void> SafetensorsReader::MakeRoom(const Tensor& tensor) {
  if (has_room_[tensor.slot]) return {};
  has_room_[tensor.slot] = true;
  const WeightSlot& slot = slots_.slots[tensor.slot];
  const uint64_t bytes = InMemory(tensor.slot);
  if (!HasRoom(bytes)) {
    return NoRoom(tensor.name, "there is no memory left for its " + std::to_string(bytes / kMegabyte) +
                                   " MB: use a smaller model, or free others first");
  }
  if (Weight* matrix = MatrixOf(slot)) {
    matrix->Reserve(numbers_[tensor.slot], slot.outputs, slot.inputs);
  } else {
    std::get<Vector*>(slot.to)->resize(static_cast<Eigen::Index>(slot.outputs));
  }
  return {};
}

// The tensor's next rows, from row_ on.
Result<void> SafetensorsReader::ReadRows(const Tensor& tensor, std::span<const uint8_t> bytes) {
  if (row_ == 0) QKV_CHECK(MakeRoom(tensor));
  const WeightSlot& slot = slots_.slots[tensor.slot];
  Weight* const matrix = MatrixOf(slot);
  std::vector<float> row(tensor.dtype == "I8" ? 0 : tensor.row_bytes / Width(tensor.dtype));
  for (; !bytes.empty(); bytes = bytes.subspan(tensor.row_bytes), ++row_) {
    if (tensor.dtype == "I8") {
      matrix->int8().SetRow(row_, reinterpret_cast<const int8_t*>(bytes.data()));
      continue;
    }
    ReadRow(tensor.dtype, bytes.data(), row);
    for (const float value : row) {
      if (!std::isfinite(value)) return Invalid(tensor.name, "it holds a number that is not finite");
    }
    if (tensor.scales) {
      matrix->int8().SetScale(row_, row[0]);
    } else if (matrix != nullptr) {
      matrix->floats().SetRow(row_, row.data());
    } else {
      (*std::get<Vector*>(slot.to))[static_cast<Eigen::Index>(row_)] = row[0];
    }
  }
  if (row_ < tensor.rows) return {};
  if (!tensor.scales) parameters_ += slot.outputs * slot.inputs;
  ++next_;
  row_ = 0;
  return {};
}

}  // namespace qkv
