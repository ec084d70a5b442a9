// pytorch_model.bin: a zip whose entries are stored without compression (torch/serialization.py). data.pkl is a pickle
// that describes the tensors; each storage is an entry data/0, data/1 and so on. Nothing in it is executed. The format
// of PyTorch before 1.6, which is not a zip, is refused.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/io/pickle.h"
#include "core/io/tensor_directory.h"
#include "core/io/weight_loader.h"

namespace qkv {

class PytorchDirectory : public TensorDirectory {
 public:
  // `size` in bytes must be known.
  PytorchDirectory(std::string file_name, uint64_t size) : file_(std::move(file_name)), size_(size) {}

  ByteRange Next() const override;
  // Errors: kInvalidFile; kUnsupported for compressed entries and for pickles that are more than tensors;
  // kLimitExceeded.
  Result<void> Feed(std::span<const uint8_t> bytes) override;
  std::vector<TensorEntry> Take() override;

 private:
  enum class Stage { kBegin, kEnd, kEntries, kPickleHeader, kPickle, kStorageHeaders, kDone };
  struct Entry {
    std::string name;
    uint64_t header = 0, size = 0;  // offset of its local header; bytes of its content
    uint64_t data = 0;              // offset of its content, known when the header has been read
  };

  Result<void> ReadBegin(std::span<const uint8_t> bytes);
  Result<void> ReadEnd(std::span<const uint8_t> bytes);
  Result<void> ReadEntries(std::span<const uint8_t> bytes);
  Result<void> ReadHeader(std::span<const uint8_t> bytes, Entry& entry) const;
  Result<void> ReadTensors(std::span<const uint8_t> bytes);
  Entry* Find(std::string_view name);
  void NextStorage();
  Error Invalid(std::string message) const { return {ErrorCode::kInvalidFile, std::move(message), file_}; }

  std::string file_;
  uint64_t size_;
  Stage stage_ = Stage::kBegin;
  ByteRange range_;
  std::vector<Entry> entries_;  // by name without the archive's own folder: "data.pkl", "data/0"
  std::vector<PickledTensor> tensors_;
  std::vector<std::string> storages_;  // storages whose headers are still to be read
};

std::unique_ptr<TensorDirectory> OpenPytorch(const WeightFile& file);

}  // namespace qkv
