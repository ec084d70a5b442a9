// safetensors (github.com/huggingface/safetensors): eight bytes of length, a JSON header, then the tensors' bytes. Read
// in two phases: the header says which byte ranges are wanted; the caller feeds each in turn, and it goes to its seat
// in the model at once. The file is never in memory as a whole.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/models/weights.h"

namespace qkv {

struct ByteRange {
  uint64_t offset = 0;
  uint64_t length = 0;  // 0: nothing more is wanted
};

class SafetensorsReader {
 public:
  // Fills `slots`, whose targets must outlive the reader. `file_size` lets it refuse ranges past the end; 0: unknown.
  SafetensorsReader(WeightSlots slots, uint64_t file_size, std::string file_name = "model.safetensors");

  // The range wanted next; ranges ascend.
  ByteRange Next() const;

  // The bytes of Next(), all of them. Errors: kInvalidFile names the tensor and what is wrong with it; kUnsupported for
  // tensors that the model has no seat for and for types other than F32, F16 and BF16; kLimitExceeded for a header over
  // 64 MiB. After an error the reader is of no more use.
  Result<void> Feed(std::span<const uint8_t> bytes);

  // Numbers read into slots.
  size_t parameters() const { return parameters_; }

 private:
  // A tensor as the header describes it.
  struct Entry {
    std::string name, dtype;
    std::vector<uint64_t> shape;
    ByteRange range;  // in the file
    size_t slot = 0;
  };
  struct Tensor {
    std::string name, dtype;
    ByteRange range;
    size_t slot;
  };

  Result<void> ReadLength(std::span<const uint8_t> bytes);
  Result<void> ReadHeader(std::string_view text);
  Result<Entry> ReadEntry(const std::string& name, const Json& json) const;
  Result<bool> FindSeat(Entry& entry) const;
  Result<void> CheckOverlaps(std::vector<std::pair<ByteRange, std::string>> ranges) const;
  Result<void> ChooseTensors(const std::vector<Entry>& entries);
  Result<void> CheckShape(const Entry& entry) const;
  Result<void> ReadTensor(const Tensor& tensor, std::span<const uint8_t> bytes);
  Error Invalid(const std::string& tensor, std::string message) const;

  WeightSlots slots_;
  uint64_t file_size_;
  std::string file_;
  uint64_t header_length_ = 0;
  bool header_read_ = false;
  std::vector<Tensor> tensors_;  // wanted, by offset
  size_t next_ = 0;
  size_t parameters_ = 0;
};

}  // namespace qkv
