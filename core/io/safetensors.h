// safetensors (github.com/huggingface/safetensors): eight bytes of length, a JSON header, then the tensors' bytes. Read
// in two phases: the header says which byte ranges are wanted; the caller feeds each in turn, and it goes to its seat
// in the model at once. The file is never in memory as a whole.
//
// A matrix may be I8: its scales, one for each output, are then the F32 tensor X_scale beside X.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
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
  // `memory`: how many bytes the weights may take.
  SafetensorsReader(WeightSlots slots, uint64_t file_size, uint64_t memory = PTRDIFF_MAX,
                    std::string file_name = "model.safetensors");

  // The range wanted next, of at most 4 MiB; ranges ascend.
  ByteRange Next() const;

  // The bytes of Next(), all of them. Errors: kInvalidFile names the tensor and what is wrong with it; kUnsupported for
  // tensors that the model has no seat for and for types other than F32, F16, BF16 and I8; kLimitExceeded for a header
  // over 4 MiB and for weights that memory has no room for. After an error the reader is of no more use.
  Result<void> Feed(std::span<const uint8_t> bytes);

  // Numbers read into slots, and the bytes that they take there.
  size_t parameters() const { return parameters_; }
  uint64_t bytes() const { return bytes_; }

 private:
  // What a name stands for: a slot, or the scales of a slot's weight.
  struct Seat {
    std::string name;
    size_t slot;
    bool scales;
  };
  // A tensor as the header describes it.
  struct Entry {
    std::string name, dtype;
    std::vector<uint64_t> shape;
    ByteRange range;             // in the file
    const Seat* seat = nullptr;  // null for what the model computes by itself
  };
  struct Tensor {
    std::string name, dtype;
    uint64_t offset;  // in the file
    size_t slot;
    bool scales;
    uint64_t rows, row_bytes;
  };

  Result<void> ReadLength(std::span<const uint8_t> bytes);
  Result<void> ReadHeader(std::string_view text);
  Result<Entry> ReadEntry(const std::string& name, const Json& json) const;
  Result<void> FindSeat(Entry& entry) const;
  Result<void> CheckOverlaps(std::vector<Entry>& entries) const;
  static const Entry* FindEntry(const std::vector<Entry>& entries, const std::string& name);
  Result<void> ChooseTensors(std::vector<Entry> entries);
  Result<void> ChooseScales(const std::vector<Entry>& entries, const Entry& chosen);
  Result<Tensor> CheckShape(const Entry& entry) const;
  uint64_t InMemory(size_t slot) const;
  Result<void> CheckMemory();
  Result<void> MakeRoom(const Tensor& tensor);
  Result<void> ReadRows(const Tensor& tensor, std::span<const uint8_t> bytes);
  Error Invalid(const std::string& tensor, std::string message) const;
  Error NoRoom(const std::string& tensor, std::string message) const;

  WeightSlots slots_;
  std::vector<Seat> seats_;       // each name that a tensor may have, sorted
  std::vector<Numbers> numbers_;  // of each slot
  std::vector<bool> has_room_;    // slots that have their memory
  uint64_t file_size_, memory_, bytes_ = 0;
  std::string file_;
  uint64_t header_length_ = 0;
  bool header_read_ = false;
  std::vector<Tensor> tensors_;  // wanted, by offset
  size_t next_ = 0;              // the tensor that is being read, and its row
  size_t row_ = 0;
  size_t parameters_ = 0;
};

}  // namespace qkv
