#include "core/io/pytorch.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include "core/base/sort.h"

namespace qkv {
namespace {

constexpr uint64_t kEndBytes = 22 + 4096;  // the end record and the longest comment after it
constexpr uint64_t kHeaderBytes = 30;      // of an entry's local header without its name and extra field
constexpr uint64_t kLargestDirectory = uint64_t{16} << 20;
constexpr size_t kMostEntries = 20000;
constexpr uint64_t kLargestPickle = uint64_t{16} << 20;
constexpr uint32_t kEntrySignature = 0x02014B50, kHeaderSignature = 0x04034B50, kEndSignature = 0x06054B50;

template <class T>
T At(std::span<const uint8_t> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

uint64_t WidthOf(std::string_view dtype) {
  if (dtype == "F64" || dtype == "I64") return 8;
  if (dtype == "F32" || dtype == "I32") return 4;
  return dtype == "F16" || dtype == "BF16" || dtype == "I16" ? 2 : 1;
}

uint64_t BytesOf(const PickledTensor& tensor) {
  uint64_t numbers = WidthOf(tensor.dtype);
  // at most 2^43: the pickle's reader bounds the product of a shape
  for (const uint64_t size : tensor.shape) numbers *= size;
  return numbers;
}

}  // namespace

ByteRange PytorchDirectory::Next() const {
  if (stage_ == Stage::kBegin) return {0, std::clamp<uint64_t>(size_, 1, 4)};
  return stage_ == Stage::kDone ? ByteRange{} : range_;
}

Result<void> PytorchDirectory::Feed(std::span<const uint8_t> bytes) {
  // A zip is read from its end: the directory, the pickle, then where the data of each storage begins.
  switch (stage_) {
    case Stage::kBegin:
      return ReadBegin(bytes);
    case Stage::kEnd:
      return ReadEnd(bytes);
    case Stage::kEntries:
      return ReadEntries(bytes);
    case Stage::kPickleHeader: {
      Entry& pickle = *Find("data.pkl");
      QKV_CHECK(ReadHeader(bytes, pickle));
      if (pickle.size > kLargestPickle) {
        return Error{ErrorCode::kLimitExceeded, "its pickle is over 16 MiB", file_};
      }
      if (pickle.size == 0) return Invalid("its pickle is empty");
      stage_ = Stage::kPickle;
      range_ = {pickle.data, pickle.size};
      return {};
    }
    case Stage::kPickle:
      return ReadTensors(bytes);
    case Stage::kStorageHeaders:
      QKV_CHECK(ReadHeader(bytes, *Find("data/" + storages_.back())));
      storages_.pop_back();
      NextStorage();
      return {};
    case Stage::kDone:
      break;
  }
  return {};
}

Result<void> PytorchDirectory::ReadBegin(std::span<const uint8_t> bytes) {
  if (size_ == 0) return Invalid("its size must be known, and is not");
  if (size_ > kLargestFile) return Error{ErrorCode::kLimitExceeded, "it is over 1 TiB", file_};
  if (size_ < kEndBytes - 4096) return Invalid("this is not a file of PyTorch's: it is too short");
  if (At<uint32_t>(bytes, 0) == kHeaderSignature) {
    const uint64_t length = std::min(size_, kEndBytes);
    stage_ = Stage::kEnd;
    range_ = {size_ - length, length};
    return {};
  }
  if (bytes[0] != 0x80) return Invalid("this is not a file of PyTorch's");
  return Error{ErrorCode::kUnsupported,
               "it was written before PyTorch 1.6: load it and save it again, best as model.safetensors", file_};
}

Result<void> PytorchDirectory::ReadEnd(std::span<const uint8_t> bytes) {
  for (size_t at = bytes.size() - 22 + 1; at-- > 0;) {
    if (At<uint32_t>(bytes, at) != kEndSignature) continue;
    const uint64_t length = At<uint32_t>(bytes, at + 12), offset = At<uint32_t>(bytes, at + 16);
    if (length > kLargestDirectory) return Error{ErrorCode::kLimitExceeded, "it has too many entries", file_};
    if (length == 0 || offset + length > size_) return Invalid("its directory lies outside the file");
    stage_ = Stage::kEntries;
    range_ = {offset, length};
    return {};
  }
  return Invalid("the end of the zip is missing: the file is cut short, or larger than 4 GB");
}

Result<void> PytorchDirectory::ReadEntries(std::span<const uint8_t> bytes) {
  // Entry by entry; the offsets are those of the zip format. PyTorch stores, and never compresses.
  while (bytes.size() >= 46 && At<uint32_t>(bytes, 0) == kEntrySignature) {
    const size_t name_length = At<uint16_t>(bytes, 28);
    const size_t whole = 46 + name_length + At<uint16_t>(bytes, 30) + At<uint16_t>(bytes, 32);
    if (whole > bytes.size()) return Invalid("its directory is cut short");
    std::string name(reinterpret_cast<const char*>(bytes.data()) + 46, name_length);
    name.erase(0, name.find('/') + 1);
    Entry entry{std::move(name), At<uint32_t>(bytes, 42), At<uint32_t>(bytes, 24)};
    const bool stored = At<uint16_t>(bytes, 10) == 0 && At<uint32_t>(bytes, 20) == entry.size;
    if (!stored || (At<uint16_t>(bytes, 8) & 1) != 0) {
      return Error{ErrorCode::kUnsupported, "its entry " + entry.name + " is compressed, which PyTorch's are not",
                   file_};
    }
    if (entry.header + kHeaderBytes + entry.size > size_)
      return Invalid("its entry " + entry.name + " lies outside the file");
    if (entries_.size() >= kMostEntries) return Error{ErrorCode::kLimitExceeded, "it has too many entries", file_};
    entries_.push_back(std::move(entry));
    bytes = bytes.subspan(whole);
  }
  // Sorted by name, to be found and to see names that occur twice.
  SortSmall(entries_, [](const Entry& a, const Entry& b) { return a.name < b.name; });
  const auto same = [](const Entry& a, const Entry& b) { return a.name == b.name; };
  if (std::adjacent_find(entries_.begin(), entries_.end(), same) != entries_.end()) {
    return Invalid("it has two entries of one name");
  }
  // The pickle is next.
  const Entry* const pickle = Find("data.pkl");
  if (pickle == nullptr) return Invalid("it has no entry data.pkl");
  stage_ = Stage::kPickleHeader;
  range_ = {pickle->header, kHeaderBytes};
  return {};
}

Result<void> PytorchDirectory::ReadHeader(std::span<const uint8_t> bytes, Entry& entry) const {
  if (At<uint32_t>(bytes, 0) != kHeaderSignature) return Invalid("an entry is not where its directory says");
  entry.data = entry.header + kHeaderBytes + At<uint16_t>(bytes, 26) + At<uint16_t>(bytes, 28);
  if (entry.data + entry.size > size_) return Invalid("an entry lies outside the file");
  return {};
}

Result<void> PytorchDirectory::ReadTensors(std::span<const uint8_t> bytes) {
  QKV_TRY(tensors_, ReadPickle(bytes, file_));
  for (const PickledTensor& tensor : tensors_) storages_.push_back(tensor.storage);
  SortSmall(storages_, std::less<>());
  storages_.erase(std::unique(storages_.begin(), storages_.end()), storages_.end());
  for (const PickledTensor& tensor : tensors_) {
    const Entry* const storage = Find("data/" + tensor.storage);
    if (storage == nullptr) return Invalid(tensor.name + " has no entry data/" + tensor.storage);
    if (tensor.first * WidthOf(tensor.dtype) + BytesOf(tensor) > storage->size) {
      return Invalid(tensor.name + " is larger than its storage");
    }
  }
  NextStorage();
  return {};
}

// Null if there is none.
PytorchDirectory::Entry* PytorchDirectory::Find(std::string_view name) {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), name,
                                      [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != entries_.end() && found->name == name ? &*found : nullptr;
}

void PytorchDirectory::NextStorage() {
  stage_ = storages_.empty() ? Stage::kDone : Stage::kStorageHeaders;
  if (!storages_.empty()) range_ = {Find("data/" + storages_.back())->header, kHeaderBytes};
}

std::vector<TensorEntry> PytorchDirectory::Take() {
  std::vector<TensorEntry> entries;
  for (PickledTensor& tensor : tensors_) {
    const uint64_t begin = Find("data/" + tensor.storage)->data + tensor.first * WidthOf(tensor.dtype);
    entries.push_back({std::move(tensor.name), tensor.dtype, tensor.shape, {begin, BytesOf(tensor)}});
  }
  return entries;
}

std::unique_ptr<TensorDirectory> OpenPytorch(const WeightFile& file) {
  return std::make_unique<PytorchDirectory>(file.name, file.size);
}

}  // namespace qkv
