// The binary file that Marian keeps a model in (marian-dev, common/binary.cpp), as Firefox's translation models are
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
// Matrices are [inputs, outputs]. One of int8 (intgemm8) lies transposed in spite of its shape, tables of pieces
// excepted, and a float32 follows that its numbers were multiplied by. How it is computed is said in YAML by a tensor
// of bytes, special:model.yml.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/tensor_directory.h"

namespace qkv {

class MarianDirectory : public TensorDirectory {
 public:
  // `size` in bytes lets it refuse ranges past the end; 0: unknown.
  MarianDirectory(std::string file_name, uint64_t size) : file_(std::move(file_name)), size_(size) {}

  ByteRange Next() const override;
  // Errors: kInvalidFile; kUnsupported for types other than float32, float16 and intgemm8; kLimitExceeded.
  Result<void> Feed(std::span<const uint8_t> bytes) override;
  // Matrices of int8 as [outputs, inputs], each with its scale beside it, of type kInverseScale.
  std::vector<TensorEntry> Take() override { return std::move(entries_); }

  const std::vector<TensorEntry>& entries() const { return entries_; }
  // Where special:model.yml is; length 0 where the file has none. Once the directory is complete.
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
