#include "core/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include "core/base/sort.h"

namespace qkv {
namespace {

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLargestHeader = uint64_t{4} << 20;

}  // namespace

Error SafetensorsDirectory::Invalid(const std::string& tensor, std::string message) const {
  return {ErrorCode::kInvalidFile, std::move(message), tensor.empty() ? file_ : file_ + ", " + tensor};
}

ByteRange SafetensorsDirectory::Next() const {
  if (header_length_ == 0) return {0, kLengthBytes};
  return complete_ ? ByteRange{} : ByteRange{kLengthBytes, header_length_};
}

Result<void> SafetensorsDirectory::Feed(std::span<const uint8_t> bytes) {
  if (header_length_ == 0) return ReadLength(bytes);
  return ReadHeader({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Result<void> SafetensorsDirectory::ReadLength(std::span<const uint8_t> bytes) {
  std::memcpy(&header_length_, bytes.data(), sizeof header_length_);
  if (header_length_ < 2) return Invalid("", "the header is empty; this is not a safetensors file");
  if (size_ != 0 && (header_length_ > size_ || header_length_ + kLengthBytes > size_)) {
    return Invalid("", "the header claims " + std::to_string(header_length_) + " bytes, more than the file has");
  }
  if (header_length_ > kLargestHeader) {
    return Error{ErrorCode::kLimitExceeded,
                 "the header claims " + std::to_string(header_length_) + " bytes; at most 4 MiB are read", file_};
  }
  return {};
}

Result<void> SafetensorsDirectory::ReadHeader(std::string_view text) {
  QKV_TRY(const JsonObject header, JsonObject::Parse(text, file_, kLargestHeader));
  for (const auto& member : header.root().GetObject()) {
    const std::string name(member.name.GetString(), member.name.GetStringLength());
    if (name == "__metadata__") continue;
    QKV_TRY(TensorEntry entry, ReadEntry(name, member.value));
    entries_.push_back(std::move(entry));
  }
  QKV_CHECK(CheckOverlaps());
  complete_ = true;
  return {};
}

Result<TensorEntry> SafetensorsDirectory::ReadEntry(const std::string& name, const Json& json) const {
  if (!json.IsObject()) return Invalid(name, "its entry must be an object");
  // The three fields, each of its type.
  const auto type = json.FindMember("dtype"), shape = json.FindMember("shape"),
             offsets = json.FindMember("data_offsets");
  const auto none = json.MemberEnd();
  if (type == none || !type->value.IsString()) return Invalid(name, "dtype must be a string");
  if (shape == none || !shape->value.IsArray()) return Invalid(name, "shape must be an array");
  if (offsets == none || !offsets->value.IsArray() || offsets->value.Size() != 2 || !offsets->value[0].IsUint64() ||
      !offsets->value[1].IsUint64()) {
    return Invalid(name, "data_offsets must be two integers");
  }
  // The shape.
  TensorEntry entry{name, {type->value.GetString(), type->value.GetStringLength()}, {}, {}};
  for (const Json& size : shape->value.GetArray()) {
    if (!size.IsUint64()) return Invalid(name, "shape must hold sizes");
    entry.shape.push_back(size.GetUint64());
  }
  // The bytes, which must lie in the file; its size may be unknown.
  const uint64_t data = kLengthBytes + header_length_;
  const uint64_t begin = offsets->value[0].GetUint64(), end = offsets->value[1].GetUint64();
  if (begin > end || end > kLargestFile || (size_ != 0 && end > size_ - data)) {
    return Invalid(name,
                   "data_offsets [" + std::to_string(begin) + ", " + std::to_string(end) + "] lie outside the file");
  }
  entry.range = {data + begin, end - begin};
  return entry;
}

// Sorts the entries by offset.
Result<void> SafetensorsDirectory::CheckOverlaps() {
  SortSmall(entries_, [](const TensorEntry& a, const TensorEntry& b) {
    return std::pair(a.range.offset, a.range.length) < std::pair(b.range.offset, b.range.length);
  });
  for (size_t i = 1; i < entries_.size(); ++i) {
    const ByteRange& before = entries_[i - 1].range;
    if (before.offset + before.length > entries_[i].range.offset) {
      return Invalid(entries_[i].name, "its bytes overlap those of " + entries_[i - 1].name);
    }
  }
  return {};
}

std::unique_ptr<TensorDirectory> OpenSafetensors(const WeightFile& file) {
  return std::make_unique<SafetensorsDirectory>(file.name, file.size);
}

}  // namespace qkv
