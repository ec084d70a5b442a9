#include "core/text/protobuf.h"

#include <bit>

namespace qkv {

bool ProtobufReader::Next() {
  if (!ok_ || rest_.empty()) return false;
  uint64_t tag;
  ok_ = ReadVarint(&tag) && tag <= UINT32_MAX && (tag >> 3) != 0;
  if (!ok_) return false;
  number_ = static_cast<uint32_t>(tag >> 3);
  wire_ = static_cast<Wire>(tag & 7);
  ok_ = ReadValue();
  return ok_;
}

bool ProtobufReader::ReadValue() {
  switch (wire_) {
    case Wire::kVarint:
      return ReadVarint(&scalar_);
    case Wire::kFixed64:
      return ReadFixed(8);
    case Wire::kFixed32:
      return ReadFixed(4);
    case Wire::kBytes:
      return ReadBytes();
  }
  return false;  // groups, which are deprecated since 2008, and wire types that do not exist
}

bool ProtobufReader::ReadVarint(uint64_t* value) {
  *value = 0;
  for (size_t i = 0; i < rest_.size() && i < 10; ++i) {
    *value |= static_cast<uint64_t>(rest_[i] & 0x7F) << (7 * i);
    if (rest_[i] < 0x80) {
      rest_ = rest_.subspan(i + 1);
      return true;
    }
  }
  return false;
}

bool ProtobufReader::ReadFixed(size_t size) {
  if (rest_.size() < size) return false;
  scalar_ = 0;
  for (size_t i = 0; i < size; ++i) scalar_ |= static_cast<uint64_t>(rest_[i]) << (8 * i);
  rest_ = rest_.subspan(size);
  return true;
}

bool ProtobufReader::ReadBytes() {
  uint64_t length;
  if (!ReadVarint(&length) || length > rest_.size()) return false;
  bytes_ = rest_.first(static_cast<size_t>(length));
  rest_ = rest_.subspan(static_cast<size_t>(length));
  return true;
}

float ProtobufReader::Float() const { return std::bit_cast<float>(static_cast<uint32_t>(scalar_)); }

std::string_view ProtobufReader::String() const {
  return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
}

}  // namespace qkv
