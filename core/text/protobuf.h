// Reads the wire format of Protocol Buffers (protobuf.dev/programming-guides/encoding): a message is a sequence of
// (field number, wire type, value). The reader is a view: it allocates nothing and never reads outside its bytes.
//
// Like all of core/text this is our own code: the SentencePiece library with its protobuf runtime would be larger than
// the whole engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace qkv {

class ProtobufReader {
 public:
  enum class Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  explicit ProtobufReader(std::span<const uint8_t> message) : rest_(message) {}

  // Reads the next field. Returns false at the end and at the first malformed byte; ok() tells which.
  bool Next();
  bool ok() const { return ok_; }

  // The field just read. A field with another wire type is unknown, as in the reference implementation.
  bool Is(uint32_t number, Wire wire) const { return number_ == number && wire_ == wire; }

  uint64_t Varint() const { return scalar_; }
  bool Bool() const { return scalar_ != 0; }
  float Float() const;
  std::span<const uint8_t> Bytes() const { return bytes_; }
  std::string_view String() const;

 private:
  bool ReadVarint(uint64_t* value);
  bool ReadFixed(size_t size);
  bool ReadBytes();
  bool ReadValue();

  std::span<const uint8_t> rest_;
  uint32_t number_ = 0;
  Wire wire_ = Wire::kVarint;
  uint64_t scalar_ = 0;
  std::span<const uint8_t> bytes_;
  bool ok_ = true;
};

}  // namespace qkv
