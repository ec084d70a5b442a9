// Fills a model's destinations from its files of weights, one file or several shards, in two phases. The directory of a
// file says which bytes are wanted. The caller then feeds these bytes in order, and each tensor goes to its destination
// at once. No whole file is ever in memory.
//
// A matrix X may be I8. Its scales are then the F32 tensor X_scale: one number for each output, or one number for all
// outputs, of type kInverseScale. A matrix that is U8 holds rows of int4 (core/kernels/int4.h) and has such scales too;
// it becomes int8. A float matrix may become int8 while it is loaded, equal to the result of `qkv quantize`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/io/tensor_directory.h"
#include "core/layers/weight_slots.h"

namespace qkv {

struct WeightFile {
  std::string name;   // "model.safetensors", "pytorch_model.bin"
  uint64_t size = 0;  // bytes; 0: unknown, which only safetensors allows
};

// Makes a reader of a file's directory, in the format that the file's name says. A program contains only the readers
// that its function names.
using OpenDirectory = std::unique_ptr<TensorDirectory> (*)(const WeightFile& file);

enum class ArriveAs {
  kStored,  // in the number format of the file
  kInt8,    // float matrices become int8
  kAuto,    // int8 if floats would take more than kLargestFloats
};
inline constexpr uint64_t kLargestFloats = uint64_t{128} << 20;

class WeightLoader {
 public:
  // Fills `slots`, whose weights must outlive it. `memory`: the most bytes that the weights may take.
  WeightLoader(WeightSlots slots, std::vector<WeightFile> files, OpenDirectory open, uint64_t memory = PTRDIFF_MAX,
               ArriveAs arrive = ArriveAs::kStored);
  // The same if the directory of the only file, `name`, has been read already. Errors: those of Feed.
  static Result<std::unique_ptr<WeightLoader>> Create(WeightSlots slots, std::string name,
                                                      std::unique_ptr<TensorDirectory> directory, uint64_t memory);

  // The range wanted next, of at most 4 MiB.
  ByteRange Next() const;

  // Takes all bytes of Next(). Errors: kInvalidFile names the tensor and the fault; kUnsupported for tensors that the
  // model has no destination for and for types other than F32, F16, BF16, I8 and U8; kLimitExceeded for headers over
  // their limits and for weights that do not fit into memory. After an error the loader must not be used.
  Result<void> Feed(std::span<const uint8_t> bytes);

  // The weights read into slots, and the bytes of all weights. Until the first file's directory is read, the bytes are
  // those of float weights.
  size_t parameters() const { return parameters_; }
  uint64_t bytes() const { return bytes_; }
  // int8 if a matrix of the first file is stored as integers. Empty until its directory has been read.
  std::optional<Numbers> numbers() const;

 private:
  // The destination of a name: a slot, several slots that are parts of one tensor, or the scales of a slot's weight.
  struct Destination {
    std::string name;
    size_t slot;
    bool scales;
  };
  struct Tensor {
    std::string name, dtype;
    uint64_t offset;  // in the file
    size_t slot;      // the first slot that it fills
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
  Result<void> Allocate(const Tensor& tensor);
  Result<void> ReserveStage();
  Result<void> ReadRows(const Tensor& tensor, std::span<const uint8_t> bytes);
  void SetRow(size_t slot, size_t row, const float* values);
  Result<void> Distribute(const Tensor& tensor);
  Error Invalid(const std::string& tensor, std::string message) const;
  Error LimitExceeded(const std::string& tensor, std::string message) const;
  const std::string& file_name() const { return files_[file_].name; }

  WeightSlots slots_;
  std::vector<WeightFile> files_;
  OpenDirectory open_;
  uint64_t memory_, bytes_ = 0;
  ArriveAs arrive_;
  std::vector<Destination> destinations_;    // all names that tensors may have, sorted
  std::vector<Numbers> numbers_;             // the number format of each slot in its file
  std::vector<uint8_t> chosen_, allocated_;  // flags: whether a slot has its tensor, its memory
  bool quantizes_ = false;                   // floats become int8

  size_t file_ = 0;
  std::unique_ptr<TensorDirectory> directory_;  // of the file that is being read, until it is complete
  std::vector<Tensor> tensors_;                 // wanted tensors of this file, by offset
  size_t next_ = 0;                             // the tensor that is being read, and its row
  size_t row_ = 0;
  std::vector<float> stage_;  // a tensor whose layout is not that of its destination
  size_t parameters_ = 0;
};

}  // namespace qkv
