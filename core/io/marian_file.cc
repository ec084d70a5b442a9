#include "core/io/marian_file.h"

#include <cstring>

#include "core/base/budget.h"

namespace qkv {
namespace {

constexpr uint64_t kMostTensors = 4096, kLongestName = 256, kMostDimensions = 8;
constexpr uint64_t kLargestOptions = uint64_t{1} << 20;
constexpr uint64_t kAlignment = 256;
constexpr uint64_t kFloat32 = 0x404, kFloat16 = 0x402, kInt8 = 0x101, kIntgemm8 = 0x4101;
constexpr const char* kOptions = "special:model.yml";
// Marian's scales for activations, which core/kernels/quantized.h does not need
constexpr const char* kAlphas = "_QuantMultA";

uint64_t WordAt(std::span<const uint8_t> bytes, size_t at) {
  uint64_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

}  // namespace

Error MarianDirectory::Invalid(const std::string& tensor, std::string message) const {
  return {ErrorCode::kInvalidFile, std::move(message), tensor.empty() ? file_ : file_ + ", " + tensor};
}

ByteRange MarianDirectory::Next() const { return stage_ == Stage::kDone ? ByteRange() : range_; }

Result<void> MarianDirectory::Feed(std::span<const uint8_t> bytes) {
  if (bytes.size() != range_.length) return Invalid("", "the file is cut short in its header: fetch it again");
  if (stage_ == Stage::kBegin) return ReadBegin(bytes);
  return stage_ == Stage::kHeaders ? ReadHeaders(bytes) : ReadNames(bytes);
}

Result<void> MarianDirectory::ReadBegin(std::span<const uint8_t> bytes) {
  if (WordAt(bytes, 0) != 1) return Invalid("", "it is not a binary model of Marian, version 1");
  const uint64_t count = WordAt(bytes, 8);
  if (count == 0 || count > kMostTensors) {
    return Error{
        ErrorCode::kLimitExceeded,
        "it has " + std::to_string(count) + " tensors; between 1 and " + std::to_string(kMostTensors) + " can be read",
        file_};
  }
  range_ = {16, count * sizeof(Header)};
  stage_ = Stage::kHeaders;
  return {};
}

// Reads the length of each part of the header.
Result<void> MarianDirectory::ReadHeaders(std::span<const uint8_t> bytes) {
  // Memory for each tensor: an entry, and one more for the scale of an int8 matrix, each with its strings.
  constexpr uint64_t kMemoryPerTensor = 1024;
  QKV_CHECK(CheckMemory(bytes.size() / sizeof(Header) * kMemoryPerTensor, kTooLarge, file_));
  headers_.resize(bytes.size() / sizeof(Header));
  std::memcpy(headers_.data(), bytes.data(), bytes.size());
  uint64_t length = sizeof(uint64_t);
  for (size_t i = 0; i < headers_.size(); ++i) {
    const Header& header = headers_[i];
    if (header.name < 2 || header.name > kLongestName || header.dimensions > kMostDimensions ||
        header.bytes > kLargestFile) {
      return Invalid("tensor " + std::to_string(i), "its header is damaged: fetch the file again");
    }
    length += header.name + header.dimensions * sizeof(int32_t);
  }
  range_ = {range_.offset + range_.length, length};
  stage_ = Stage::kNames;
  return {};
}

// Reads the names, the shapes, and where the data begins.
Result<void> MarianDirectory::ReadNames(std::span<const uint8_t> bytes) {
  // `bytes` holds all names, then all shapes, then the length of the padding before the data.
  size_t names = 0, shapes = 0;
  for (const Header& header : headers_) shapes += header.name;
  const uint64_t padding = WordAt(bytes, bytes.size() - sizeof(uint64_t));
  if (padding > kAlignment) return Invalid("", "its padding is " + std::to_string(padding) + " bytes; at most 256");
  uint64_t offset = range_.offset + range_.length + padding;
  // Tensor by tensor: its name, its shape and its bytes.
  for (size_t i = 0; i < headers_.size(); ++i) {
    const Header& header = headers_[i];
    const auto* const name = reinterpret_cast<const char*>(bytes.data() + names);
    if (std::memchr(name, 0, header.name) != name + header.name - 1) {
      return Invalid("tensor " + std::to_string(i), "its name does not end where its length says");
    }
    TensorEntry entry{name, {}, {}, {offset, header.bytes}};
    for (uint64_t axis = 0; axis < header.dimensions; ++axis, shapes += sizeof(int32_t)) {
      int32_t size;
      std::memcpy(&size, bytes.data() + shapes, sizeof size);
      if (size <= 0) return Invalid(entry.name, "its shape has a size of " + std::to_string(size));
      entry.shape.push_back(static_cast<uint64_t>(size));
    }
    names += header.name;
    offset += header.bytes;  // no overflow: at most 4096 tensors of at most 2^40 bytes
    if (size_ != 0 && offset > size_) return Invalid(entry.name, "its data ends past the end of the file");
    QKV_CHECK(AddTensor(header, std::move(entry)));
  }
  headers_ = {};
  stage_ = Stage::kDone;
  return {};
}

Result<void> MarianDirectory::AddTensor(const Header& header, TensorEntry entry) {
  // The options are read later, and Marian's scales of activations are not needed.
  if (entry.name == kOptions) {
    if (header.bytes > kLargestOptions)
      return Error{ErrorCode::kLimitExceeded, "it is over 1 MiB", file_ + ", " + entry.name};
    options_ = entry.range;
    return {};
  }
  if (entry.name.ends_with(kAlphas)) return {};
  // The type.
  const bool int8 = header.type == kIntgemm8;
  const uint64_t width = int8 ? 1 : header.type == kFloat32 ? 4 : header.type == kFloat16 ? 2 : 0;
  if (width == 0) {
    const char* const advice = header.type == kInt8 ? "plain int8" : "of a type that this engine does not read";
    return Error{ErrorCode::kUnsupported,
                 std::string("its numbers are ") + advice + "; float32, float16 and intgemm8 are read",
                 file_ + ", " + entry.name};
  }
  // The shape, whose bytes must not be more than the data.
  uint64_t bytes = width;
  for (const uint64_t size : entry.shape) {
    if (bytes > kLargestFile / size) return Invalid(entry.name, "its shape is of more numbers than any file has");
    bytes *= size;
  }
  if (bytes + (int8 ? sizeof(float) : 0) > header.bytes) {
    return Invalid(entry.name, "its data is " + std::to_string(header.bytes) + " bytes; its shape needs more");
  }
  entry.range.length = bytes;
  entry.dtype = int8 ? "I8" : width == 4 ? "F32" : "F16";
  // An int8 matrix is stored transposed, and its scale follows its numbers.
  if (int8) {
    if (entry.shape.size() != 2) return Invalid(entry.name, "it is int8 but not a matrix");
    if (!entry.name.ends_with("Wemb")) std::swap(entry.shape[0], entry.shape[1]);
    entries_.push_back({entry.name + "_scale", kInverseScale, {1}, {entry.range.offset + bytes, sizeof(float)}});
  }
  entries_.push_back(std::move(entry));
  return {};
}

}  // namespace qkv
