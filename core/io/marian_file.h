// Marian's binary format of models (marian-dev, common/binary.cpp), in which Firefox's translation models are
// published. Little-endian:
//
//   u64  1                        the version
//   u64  n                        tensors
//   u64  [n, 4]                   bytes of the name with its NUL; type; dimensions; bytes of the data
//   char [...]                    the names
//   i32  [...]                    the shapes
//   u64  p, then p bytes          up to a multiple of 256
//   the data of each tensor in that order, each a multiple of 256 bytes but perhaps the last
//
// Matrices are [inputs, outputs]. An int8 matrix (intgemm8) is stored transposed in spite of its shape, except tables
// of pieces. After its numbers follows a float32 by which they were multiplied. The options of the model are YAML in a
// tensor of bytes, special:model.yml.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/tensor_directory.h"

namespace qkv {

class MarianDirectory : public TensorDirectory {
 public:
  // With the file's `size` in bytes it refuses ranges past the end; 0: unknown.
  MarianDirectory(std::string file_name, uint64_t size) : file_(std::move(file_name)), size_(size) {}

  ByteRange Next() const override;
  // Errors: kInvalidFile; kUnsupported for types other than float32, float16 and intgemm8; kLimitExceeded.
  Result<void> Feed(std::span<const uint8_t> bytes) override;
  // Int8 matrices are given as [outputs, inputs]. Each has one more entry for its scale, of type kInverseScale.
  std::vector<TensorEntry> Take() override { return std::move(entries_); }

  const std::vector<TensorEntry>& entries() const { return entries_; }
  // The range of special:model.yml; length 0 if the file has none. To be called when the directory is complete.
  ByteRange options() const { return options_; }

 private:
  enum class Stage { kBegin, kHeaders, kNames, kDone };
  struct Header {
    uint64_t name, type, dimensions, bytes;
  };

  Result<void> ReadBegin(std::span<const uint8_t> bytes);
  Result<void> ReadHeaders(std::span<const uint8_t> bytes);
  Result<void> ReadNames(std::span<const uint8_t> bytes);
  Result<void> AddTensor(const Header& header, TensorEntry entry);
  Error Invalid(const std::string& tensor, std::string message) const;

  std::string file_;
  uint64_t size_;
  Stage stage_ = Stage::kBegin;
  ByteRange range_{0, 16};
  std::vector<Header> headers_;
  std::vector<TensorEntry> entries_;
  ByteRange options_;
};

}  // namespace qkv
