// safetensors (github.com/huggingface/safetensors): eight bytes of length, a JSON header, then the tensors' bytes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/io/weight_loader.h"

namespace qkv {

class SafetensorsDirectory : public TensorDirectory {
 public:
  // With the file's `size` it refuses ranges past the end; 0: unknown.
  SafetensorsDirectory(std::string file_name, uint64_t size) : file_(std::move(file_name)), size_(size) {}

  ByteRange Next() const override;
  // Errors: kInvalidFile names the tensor; kLimitExceeded for a header over 4 MiB.
  Result<void> Feed(std::span<const uint8_t> bytes) override;
  std::vector<TensorEntry> Take() override { return std::move(entries_); }

 private:
  Result<void> ReadLength(std::span<const uint8_t> bytes);
  Result<void> ReadHeader(std::string_view text);
  Result<TensorEntry> ReadEntry(const std::string& name, const Json& json) const;
  Result<void> CheckOverlaps();
  Error Invalid(const std::string& tensor, std::string message) const;

  std::string file_;
  uint64_t size_, header_length_ = 0;
  bool complete_ = false;
  std::vector<TensorEntry> entries_;
};

std::unique_ptr<TensorDirectory> OpenSafetensors(const WeightFile& file);

// The loader of one such file.
class SafetensorsReader : public WeightLoader {
 public:
  SafetensorsReader(WeightSlots slots, uint64_t file_size, uint64_t memory = PTRDIFF_MAX,
                    std::string file_name = "model.safetensors")
      : WeightLoader(std::move(slots), {{std::move(file_name), file_size}}, &OpenSafetensors, memory) {}
};

}  // namespace qkv
