#include "core/io/weight_loader.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/base/sort.h"
#include "core/kernels/int4.h"

namespace qkv {
namespace {

constexpr uint64_t kMegabyte = 1000000;
constexpr const char* kScales = "_scale";  // the end of the name of an int8 matrix's scales
// A tensor is read in parts of this many bytes, so that a false size in a header takes no memory.
constexpr uint64_t kPart = uint64_t{1} << 20;

std::string Shape(const std::vector<uint64_t>& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

float Half(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(fraction), -24), sign != 0 ? -1.0f : 1.0f);
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

template <class T>
T Load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The bytes of int4 (core/kernels/int4.h).
constexpr std::string_view kInt4 = "U8";
bool IsInteger(std::string_view dtype) { return dtype == "I8" || dtype == kInt4; }

// Bytes of a number; 0 for an unsupported type.
size_t Width(std::string_view dtype) {
  if (dtype == "F32" || dtype == kInverseScale) return 4;
  if (dtype == "F16" || dtype == "BF16") return 2;
  return IsInteger(dtype) ? 1 : 0;
}

Weight* MatrixOf(const WeightSlot& slot) {
  Weight* const* matrix = std::get_if<Weight*>(&slot.to);
  return matrix != nullptr ? *matrix : nullptr;
}

// Memory that stays free besides weights, so that loaded models can still run: each of their steps checks for a
// mebibyte more than it needs (core/base/budget.cc).
constexpr uint64_t kSpare = uint64_t{2} << 20;

// Whether an allocation of so many bytes succeeds now and leaves kSpare. If memory cannot grow, the real allocation
// would end the program. The pointer is volatile, so that the compiler does not remove the pair.
bool CanAllocate(uint64_t bytes) {
  void* volatile block = std::malloc(static_cast<size_t>(bytes + kSpare));
  std::free(block);
  return block != nullptr;
}

void ReadRow(std::string_view dtype, const uint8_t* bytes, float* row, size_t size) {
  if (Width(dtype) == 4) {
    std::memcpy(row, bytes, size * sizeof(float));
  } else if (dtype == "F16") {
    for (size_t i = 0; i < size; ++i) row[i] = Half(Load<uint16_t>(bytes + 2 * i));
  } else {  // BF16
    for (size_t i = 0; i < size; ++i) row[i] = std::bit_cast<float>(uint32_t{Load<uint16_t>(bytes + 2 * i)} << 16);
  }
}

// `entries` are sorted by name. Null if there is none.
const TensorEntry* FindEntry(const std::vector<TensorEntry>& entries, const std::string& name) {
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const TensorEntry& entry, const std::string& wanted) { return entry.name < wanted; });
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "files are little-endian, and so are all our targets");

WeightLoader::WeightLoader(WeightSlots slots, std::vector<WeightFile> files, OpenDirectory open, uint64_t memory,
                           ArriveAs arrive)
    : slots_(std::move(slots)), files_(std::move(files)), open_(open), memory_(memory), arrive_(arrive) {
  for (size_t s = 0; s < slots_.slots.size(); ++s) {
    for (const std::string& name : slots_.slots[s].names) {
      destinations_.push_back({name, s, false});
      if (MatrixOf(slots_.slots[s]) != nullptr) destinations_.push_back({name + kScales, s, true});
    }
  }
  SortSmall(destinations_, [](const Destination& a, const Destination& b) {
    return a.name != b.name ? a.name < b.name : a.slot < b.slot;
  });
  numbers_.resize(slots_.slots.size(), Numbers::kFloat);
  chosen_.resize(slots_.slots.size());
  allocated_.resize(slots_.slots.size());
  CountBytes();
  if (open_ != nullptr) StartFile();
}

Result<std::unique_ptr<WeightLoader>> WeightLoader::Create(WeightSlots slots, std::string name,
                                                           std::unique_ptr<TensorDirectory> directory,
                                                           uint64_t memory) {
  auto loader =
      std::make_unique<WeightLoader>(std::move(slots), std::vector<WeightFile>{{std::move(name), 0}}, nullptr, memory);
  loader->directory_ = std::move(directory);
  QKV_CHECK(loader->ChooseTensors());
  loader->directory_.reset();
  return loader;
}

void WeightLoader::StartFile() {
  directory_ = open_(files_[file_]);
  tensors_.clear();
  next_ = row_ = 0;
}

Error WeightLoader::Invalid(const std::string& tensor, std::string message) const {
  return {ErrorCode::kInvalidFile, std::move(message), tensor.empty() ? file_name() : file_name() + ", " + tensor};
}

Error WeightLoader::LimitExceeded(const std::string& tensor, std::string message) const {
  return {ErrorCode::kLimitExceeded, std::move(message), tensor.empty() ? file_name() : file_name() + ", " + tensor};
}

std::optional<Numbers> WeightLoader::numbers() const {
  if (file_ == 0 && directory_ != nullptr) return std::nullopt;
  const bool int8 = std::find(numbers_.begin(), numbers_.end(), Numbers::kInt8) != numbers_.end();
  return int8 ? Numbers::kInt8 : Numbers::kFloat;
}

ByteRange WeightLoader::Next() const {
  ByteRange range;
  if (directory_ != nullptr) {
    range = directory_->Next();
  } else if (next_ < tensors_.size()) {
    const Tensor& tensor = tensors_[next_];
    const uint64_t rows = std::clamp<uint64_t>(kPart / tensor.row_bytes, 1, tensor.rows - row_);
    range = {tensor.offset + row_ * tensor.row_bytes, rows * tensor.row_bytes};
  }
  range.file = file_;
  return range;
}

Result<void> WeightLoader::Feed(std::span<const uint8_t> bytes) {
  const ByteRange range = Next();
  if (bytes.size() != range.length) {
    return Invalid(next_ < tensors_.size() ? tensors_[next_].name : "",
                   "the file is cut short: " + std::to_string(range.length) + " bytes were wanted at " +
                       std::to_string(range.offset) + ", " + std::to_string(bytes.size()) + " came");
  }
  if (directory_ != nullptr) {
    QKV_CHECK(directory_->Feed(bytes));
    if (directory_->Next().length != 0) return {};
    QKV_CHECK(ChooseTensors());
    directory_.reset();
  } else if (next_ < tensors_.size()) {
    QKV_CHECK(ReadRows(tensors_[next_], bytes));
  }
  while (directory_ == nullptr && next_ == tensors_.size() && file_ + 1 < files_.size()) {
    ++file_;
    StartFile();
  }
  return {};
}

const WeightLoader::Destination* WeightLoader::FindDestination(const std::string& name) const {
  const auto destination =
      std::lower_bound(destinations_.begin(), destinations_.end(), name,
                       [](const Destination& a, const std::string& wanted) { return a.name < wanted; });
  return destination != destinations_.end() && destination->name == name ? &*destination : nullptr;
}

// Chooses one tensor for each slot, of the slot's shape, and its scales if it is int8. They are read in the order of
// the file.
Result<void> WeightLoader::ChooseTensors() {
  // Sorted by name, to be found and to see names that occur twice.
  std::vector<TensorEntry> entries = directory_->Take();
  SortSmall(entries, [](const TensorEntry& a, const TensorEntry& b) { return a.name < b.name; });
  for (size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].name == entries[i - 1].name) return Invalid(entries[i].name, "the header names it twice");
  }
  // Every tensor must have a slot of its type, or be one that the model ignores.
  for (const TensorEntry& entry : entries) {
    const Destination* const destination = FindDestination(entry.name);
    if (destination != nullptr) {
      QKV_CHECK(CheckType(entry, *destination));
    } else if (!slots_.Ignores(entry.name)) {
      return Error{ErrorCode::kUnsupported,
                   std::string("the model described by ") + slots_.described_by + " has no place for this tensor",
                   file_name() + ", " + entry.name};
    }
  }
  // Every slot gets a tensor, from this file or from another one.
  for (size_t slot = 0; slot < slots_.slots.size(); ++slot) {
    if (!chosen_[slot]) QKV_CHECK(ChooseFor(slot, entries));
  }
  if (file_ + 1 == files_.size()) QKV_CHECK(CheckComplete());
  QKV_CHECK(CheckMemory());
  // Sorted by place, to be read in one pass.
  SortSmall(tensors_, [](const Tensor& a, const Tensor& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.name < b.name;
  });
  return {};
}

Result<void> WeightLoader::CheckType(const TensorEntry& entry, const Destination& destination) const {
  const WeightSlot& slot = slots_.slots[destination.slot];
  const bool int8 = MatrixOf(slot) != nullptr && !IsStaged(slot);
  const bool inverse = entry.dtype == kInverseScale;
  const bool integers = int8 && (entry.dtype != kInt4 || FitsInt4(slot.inputs));
  const bool known = destination.scales ? inverse || entry.dtype == "F32"
                                        : Width(entry.dtype) != 0 && !inverse && (integers || !IsInteger(entry.dtype));
  if (known) return {};
  const char* wanted = destination.scales ? "F32" : int8 ? "one of F32, F16, BF16, I8, U8" : "one of F32, F16, BF16";
  return Error{ErrorCode::kUnsupported, "dtype " + entry.dtype + " is not " + wanted, file_name() + ", " + entry.name};
}

Result<void> WeightLoader::ChooseFor(size_t index, const std::vector<TensorEntry>& entries) {
  const WeightSlot& slot = slots_.slots[index];
  const TensorEntry* chosen = nullptr;
  for (const std::string& name : slot.names) {
    if (chosen == nullptr) chosen = FindEntry(entries, name);
  }
  if (chosen == nullptr) return {};
  chosen_[index] = true;
  // If several slots are parts of one tensor, the first one reads it for all.
  const size_t first = FindDestination(chosen->name)->slot;
  QKV_TRY(Tensor tensor, CheckShape(*chosen, index, false));
  if (first == index) tensors_.push_back(std::move(tensor));
  return ChooseScales(entries, *chosen, index);
}

Result<void> WeightLoader::ChooseScales(const std::vector<TensorEntry>& entries, const TensorEntry& chosen,
                                        size_t slot) {
  const TensorEntry* const scales = FindEntry(entries, chosen.name + kScales);
  if (!IsInteger(chosen.dtype)) {
    if (scales == nullptr) return {};
    return Invalid(scales->name, "these are scales, but " + chosen.name + " is not I8");
  }
  if (scales == nullptr) {
    return Invalid(chosen.name + kScales, "this tensor is missing: " + chosen.name + " is " + chosen.dtype);
  }
  QKV_TRY(Tensor tensor, CheckShape(*scales, slot, true));
  tensors_.push_back(std::move(tensor));
  numbers_[slot] = Numbers::kInt8;
  return {};
}

Result<void> WeightLoader::CheckComplete() {
  for (size_t s = 0; s < slots_.slots.size(); ++s) {
    const WeightSlot& slot = slots_.slots[s];
    if (chosen_[s]) continue;
    if (!slot.optional) return Invalid(slot.names.front(), "this tensor is missing");
    *std::get<Vector*>(slot.to) = Vector::Zero(static_cast<Eigen::Index>(slot.outputs));
  }
  return {};
}

// Whether a float matrix becomes int8 while it is loaded.
bool WeightLoader::Quantizes(size_t slot) const {
  return quantizes_ && numbers_[slot] == Numbers::kFloat && MatrixOf(slots_.slots[slot]) != nullptr &&
         !slots_.slots[slot].exact;
}

// Bytes that a tensor takes in its destination.
uint64_t WeightLoader::InMemory(size_t index) const {
  const WeightSlot& slot = slots_.slots[index];
  const Numbers numbers = Quantizes(index) ? Numbers::kInt8 : numbers_[index];
  if (const Weight* matrix = MatrixOf(slot)) return matrix->Bytes(numbers, slot.outputs, slot.inputs);
  return uint64_t{slot.outputs} * sizeof(float);
}

// Counts the bytes when the first file's directory is known: those of its slots, and those of later files as floats.
void WeightLoader::CountBytes() {
  const auto sum = [&] {
    uint64_t bytes = 0;
    for (size_t s = 0; s < slots_.slots.size(); ++s) bytes += InMemory(s);
    return bytes;
  };
  if (file_ == 0) {
    quantizes_ = false;  // count as floats
    quantizes_ = arrive_ == ArriveAs::kInt8 || (arrive_ == ArriveAs::kAuto && sum() > kLargestFloats);
  }
  bytes_ = sum();
}

Result<void> WeightLoader::CheckMemory() {
  CountBytes();
  if (bytes_ <= memory_) return {};
  return LimitExceeded("", "the model's weights take " + std::to_string(bytes_ / kMegabyte) + " MB of memory; " +
                               std::to_string(memory_ / kMegabyte) + " MB can be had: use a smaller model");
}

Result<WeightLoader::Tensor> WeightLoader::CheckShape(const TensorEntry& entry, size_t index, bool scales) const {
  using Sizes = std::vector<uint64_t>;
  const WeightSlot& slot = slots_.slots[index];
  const bool matrix = MatrixOf(slot) != nullptr && !scales;
  const bool inverse = entry.dtype == kInverseScale;
  const uint64_t outputs = inverse ? 1 : slot.whole != 0 ? slot.whole : slot.outputs - slot.absent;
  const uint64_t columns = entry.dtype == kInt4 ? Int4Bytes(slot.inputs) : slot.inputs;
  Sizes wanted = matrix ? Sizes{outputs, columns} : Sizes{outputs};
  if (matrix && slot.transposed) std::swap(wanted[0], wanted[1]);
  const bool row = !matrix && entry.shape == Sizes{1, outputs};
  if (entry.shape != wanted && !row) {
    return Invalid(entry.name,
                   "its shape is " + Shape(entry.shape) + "; " + slots_.described_by + " asks for " + Shape(wanted));
  }
  const uint64_t rows = wanted[0], row_bytes = (matrix ? wanted[1] : 1) * Width(entry.dtype);
  if (entry.range.length != rows * row_bytes) {
    return Invalid(entry.name, "its data_offsets span " + std::to_string(entry.range.length) +
                                   " bytes; its shape and dtype need " + std::to_string(rows * row_bytes));
  }
  return Tensor{entry.name, entry.dtype, entry.range.offset, index, scales, rows, row_bytes};
}

Result<void> WeightLoader::Allocate(const Tensor& tensor) {
  const WeightSlot& first = slots_.slots[tensor.slot];
  // A tensor that is transposed, or that holds several matrices, is staged as floats first.
  const bool staged = IsStaged(first);
  if (staged) QKV_CHECK(ReserveStage());
  // The slots that the tensor fills: one, or all that share it.
  for (size_t s = tensor.slot; s < slots_.slots.size(); ++s) {
    const WeightSlot& slot = slots_.slots[s];
    const bool part = s == tensor.slot ||
                      (staged && std::find(slot.names.begin(), slot.names.end(), tensor.name) != slot.names.end());
    if (!part || allocated_[s]) continue;
    allocated_[s] = true;
    const uint64_t bytes = InMemory(s);
    if (!CanAllocate(bytes)) {
      return LimitExceeded(tensor.name, "there is no memory left for its " + std::to_string(bytes / kMegabyte) +
                                            " MB: use a smaller model, or free others first");
    }
    if (Weight* matrix = MatrixOf(slot)) {
      matrix->Reserve(Quantizes(s) ? Numbers::kInt8 : numbers_[s], slot.outputs, slot.inputs);
    } else {
      std::get<Vector*>(slot.to)->resize(static_cast<Eigen::Index>(slot.outputs));
    }
  }
  return {};
}

// Allocates one block that is large enough for every staged tensor of the file, when the first one comes. If each
// tensor allocated its own block, weights would be stored behind it, and its memory could not be used again as a whole.
Result<void> WeightLoader::ReserveStage() {
  stage_.clear();
  if (stage_.capacity() != 0) return {};
  uint64_t floats = 0;
  for (size_t i = next_; i < tensors_.size(); ++i) {
    const Tensor& tensor = tensors_[i];
    const bool is_staged = !tensor.scales && IsStaged(slots_.slots[tensor.slot]);
    if (is_staged) floats = std::max(floats, tensor.rows * tensor.row_bytes / Width(tensor.dtype));
  }
  if (!CanAllocate(floats * sizeof(float))) {
    return LimitExceeded("",
                         "there is no memory left to rearrange its weights: use a smaller model, or free others first");
  }
  stage_.reserve(static_cast<size_t>(floats));
  return {};
}

// Sets row `row` of a slot's matrix.
void WeightLoader::SetRow(size_t slot, size_t row, const float* values) {
  Weight& matrix = *MatrixOf(slots_.slots[slot]);
  if (!matrix.quantized()) return matrix.floats().SetRow(row, values);
  std::vector<int8_t> quantized(matrix.inputs());
  matrix.int8().SetScale(row, QuantizeWeights(values, quantized.size(), quantized.data()));
  matrix.int8().SetRow(row, quantized.data());
}

// Reads the tensor's next rows, from row_ on.
Result<void> WeightLoader::ReadRows(const Tensor& tensor, std::span<const uint8_t> bytes) {
  if (row_ == 0) QKV_CHECK(Allocate(tensor));
  const WeightSlot& slot = slots_.slots[tensor.slot];
  Weight* const matrix = MatrixOf(slot);
  const bool int4 = tensor.dtype == kInt4, integers = IsInteger(tensor.dtype), inverse = tensor.dtype == kInverseScale;
  std::vector<float> row(integers ? 0 : tensor.row_bytes / Width(tensor.dtype));
  std::vector<int8_t> unpacked(int4 ? slot.inputs : 0);
  for (; !bytes.empty(); bytes = bytes.subspan(tensor.row_bytes), ++row_) {
    if (int4) {
      UnpackInt4(bytes.data(), unpacked.size(), unpacked.data());
      matrix->int8().SetRow(row_, unpacked.data());
      continue;
    }
    if (integers) {
      matrix->int8().SetRow(row_, reinterpret_cast<const int8_t*>(bytes.data()));
      continue;
    }
    // Floats are converted and checked, then stored where they belong: scales, a staged tensor, a matrix or a vector.
    ReadRow(tensor.dtype, bytes.data(), row.data(), row.size());
    for (const float value : row) {
      if (!std::isfinite(value)) return Invalid(tensor.name, "it holds a number that is not finite");
    }
    if (inverse) {
      if (!(row[0] > 0) || !std::isfinite(1 / row[0])) return Invalid(tensor.name, "it is not above 0");
      for (size_t o = 0; o < slot.outputs; ++o) matrix->int8().SetScale(o, 1 / row[0]);
    } else if (tensor.scales) {
      matrix->int8().SetScale(row_, row[0]);
    } else if (IsStaged(slot)) {
      stage_.insert(stage_.end(), row.begin(), row.end());
    } else if (matrix != nullptr) {
      SetRow(tensor.slot, row_, row.data());
    } else {
      (*std::get<Vector*>(slot.to))[static_cast<Eigen::Index>(row_)] = row[0];
    }
  }
  // The tensor is complete.
  if (row_ < tensor.rows) return {};
  if (!tensor.scales) parameters_ += IsStaged(slot) ? stage_.size() : (slot.outputs - slot.absent) * slot.inputs;
  if (IsStaged(slot)) QKV_CHECK(Distribute(tensor));
  if (slot.absent != 0 && !tensor.scales) FillAbsent(tensor);
  ++next_;
  row_ = 0;
  return {};
}

// Fills the rows that the file does not have.
void WeightLoader::FillAbsent(const Tensor& tensor) {
  const WeightSlot& slot = slots_.slots[tensor.slot];
  Weight* const matrix = MatrixOf(slot);
  if (matrix == nullptr) {
    std::get<Vector*>(slot.to)->tail(static_cast<Eigen::Index>(slot.absent)).setZero();
    return;
  }
  const std::vector<float> zeros(slot.inputs);
  for (size_t row = slot.outputs - slot.absent; row < slot.outputs; ++row) SetRow(tensor.slot, row, zeros.data());
}

// Copies a staged tensor to its slots: each gets its part, as rows of outputs.
Result<void> WeightLoader::Distribute(const Tensor& tensor) {
  for (size_t s = tensor.slot; s < slots_.slots.size(); ++s) {
    const WeightSlot& slot = slots_.slots[s];
    if (std::find(slot.names.begin(), slot.names.end(), tensor.name) == slot.names.end()) continue;
    const size_t own = slot.outputs - slot.absent, whole = slot.whole != 0 ? slot.whole : own;
    std::vector<float> row(slot.inputs);
    for (size_t o = 0; o < own; ++o) {
      const size_t at = slot.first + o;
      for (size_t i = 0; i < slot.inputs; ++i) {
        row[i] = slot.transposed ? stage_[i * whole + at] : stage_[at * slot.inputs + i];
      }
      if (MatrixOf(slot) != nullptr) {
        SetRow(s, o, row.data());
      } else {
        (*std::get<Vector*>(slot.to))[static_cast<Eigen::Index>(o)] = row[0];
      }
    }
  }
  return {};
}

}  // namespace qkv
