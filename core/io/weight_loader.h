// Fills a model's destinations from its files of weights, one file or several shards, in two phases: a file's directory
// says which bytes are wanted; the caller feeds them in turn, and each tensor goes to its destination at once. No file
// is ever in memory as a whole.
//
// A matrix may be I8: its scales, one for each output, are then the F32 tensor X_scale beside X; or the tensor is one
// number for all outputs, of type kInverseScale. One of floats may become int8 on arrival, as `qkv quantize` would make
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/io/tensor_directory.h"
#include "core/layers/weight_slots.h"

namespace qkv {

struct WeightFile {
  std::string name;   // "model.safetensors", "pytorch_model.bin"
  uint64_t size = 0;  // bytes; 0: unknown, which only safetensors can do with
};

// Begins to read a file's directory, in the format that its name says: a program has the readers that it names.
using OpenDirectory = std::unique_ptr<TensorDirectory> (*)(const WeightFile& file);

enum class ArriveAs {
  kStored,  // in the numbers that the file has
  kInt8,    // matrices of floats become int8
  kAuto,    // the same, where floats would take more than kLargestFloats
};
inline constexpr uint64_t kLargestFloats = uint64_t{128} << 20;

class WeightLoader {
 public:
  // Fills `slots`, whose targets must outlive it. `memory`: how many bytes the weights may take.
  WeightLoader(WeightSlots slots, std::vector<WeightFile> files, OpenDirectory open, uint64_t memory = PTRDIFF_MAX,
               ArriveAs arrive = ArriveAs::kStored);
  // The same where the directory of the only file, `name`, has been read already. Errors: those of Feed.
  static Result<std::unique_ptr<WeightLoader>> Create(WeightSlots slots, std::string name,
                                                      std::unique_ptr<TensorDirectory> directory, uint64_t memory);

  // The range wanted next, of at most 4 MiB.
  ByteRange Next() const;

  // The bytes of Next(), all of them. Errors: kInvalidFile names the tensor and what is wrong with it; kUnsupported for
  // tensors that the model has no destination for and for types other than F32, F16, BF16 and I8; kLimitExceeded for
  // headers over their limits and for weights that memory has no room for. After an error the loader is of no more use.
  Result<void> Feed(std::span<const uint8_t> bytes);

  // Numbers read into slots, and the bytes that all take there: until the first file's directory is read, as if it held
  // floats alone.
  size_t parameters() const { return parameters_; }
  uint64_t bytes() const { return bytes_; }

 private:
  // What a name stands for: slots (several where they are parts of one tensor), or the scales of a slot's weight.
  struct Destination {
    std::string name;
    size_t slot;
    bool scales;
  };
  struct Tensor {
    std::string name, dtype;
    uint64_t offset;  // in the file
    size_t slot;      // the first of those that it fills
    bool scales;
    uint64_t rows, row_bytes;
  };

  void StartFile();
  void FillAbsent(const Tensor& tensor);
  Result<void> ChooseTensors();
  const Destination* FindDestination(const std::string& name) const;
  Result<void> CheckType(const TensorEntry& entry, const Destination& destination) const;
  Result<void> ChooseFor(size_t slot, const std::vector<TensorEntry>& entries);
  Result<void> ChooseScales(const std::vector<TensorEntry>& entries, const TensorEntry& chosen, size_t slot);
  Result<Tensor> CheckShape(const TensorEntry& entry, size_t slot, bool scales) const;
  Result<void> CheckComplete();
  Result<void> CheckMemory();
  void CountBytes();
  bool Quantizes(size_t slot) const;
  uint64_t InMemory(size_t slot) const;
  Result<void> MakeRoom(const Tensor& tensor);
  Result<void> ReadRows(const Tensor& tensor, std::span<const uint8_t> bytes);
  void SetRow(size_t slot, size_t row, const float* values);
  Result<void> Distribute(const Tensor& tensor);
  Error Invalid(const std::string& tensor, std::string message) const;
  Error NoRoom(const std::string& tensor, std::string message) const;
  const std::string& file_name() const { return files_[file_].name; }

  WeightSlots slots_;
  std::vector<WeightFile> files_;
  OpenDirectory open_;
  uint64_t memory_, bytes_ = 0;
  ArriveAs arrive_;
  std::vector<Destination> destinations_;   // each name that a tensor may have, sorted
  std::vector<Numbers> numbers_;            // of each slot, in its file
  std::vector<uint8_t> chosen_, has_room_;  // flags: slots that have their tensor, their memory
  bool quantizes_ = false;                  // floats become int8

  size_t file_ = 0;
  std::unique_ptr<TensorDirectory> directory_;  // of the file that is being read, until it is complete
  std::vector<Tensor> tensors_;                 // wanted of this file, by offset
  size_t next_ = 0;                             // the tensor that is being read, and its row
  size_t row_ = 0;
  std::vector<float> stage_;  // a tensor whose layout is not that of its destination
  size_t parameters_ = 0;
};

}  // namespace qkv
