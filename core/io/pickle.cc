#include "core/io/pickle.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace qkv {
namespace {

constexpr size_t kMostValues = size_t{1} << 18;
constexpr size_t kMostParts = 16;  // of a tuple
constexpr size_t kMostTensors = size_t{1} << 16;
constexpr size_t kLongestName = 1024;                 // bytes; each tensor keeps its name and its storage's name
constexpr uint64_t kMostNumbers = uint64_t{1} << 40;  // of a tensor, and of its offset: the largest file is 1 TiB
constexpr int32_t kNothing = -1;                      // an empty place of the memo

// A value on the stack. Values do not change after they are created, except dictionaries, which grow.
struct Value {
  enum class Kind : uint8_t { kOther, kMark, kInteger, kText, kName, kTuple, kStorage, kTensor, kDictionary };
  Kind kind = Kind::kOther;
  int64_t integer = 0;              // kInteger; an index of `tensors_` for kTensor
  std::string_view text = {};       // kText, kName, and a storage's key
  std::string_view dtype = {};      // kStorage
  std::vector<int32_t> parts = {};  // kTuple: indices of other values
};

// The names that a pickle may contain. Other names are only reported.
constexpr std::string_view kDictionaryName = "collections OrderedDict";
constexpr std::string_view kTensorName = "torch._utils _rebuild_tensor_v2";
constexpr std::string_view kParameterName = "torch._utils _rebuild_parameter";
constexpr std::pair<std::string_view, std::string_view> kStorages[] = {
    {"torch FloatStorage", "F32"}, {"torch HalfStorage", "F16"},   {"torch BFloat16Storage", "BF16"},
    {"torch CharStorage", "I8"},   {"torch DoubleStorage", "F64"}, {"torch LongStorage", "I64"},
    {"torch IntStorage", "I32"},   {"torch ByteStorage", "U8"},    {"torch BoolStorage", "BOOL"},
    {"torch ShortStorage", "I16"}};

class Unpickler {
 public:
  Unpickler(std::span<const uint8_t> bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  Result<std::vector<PickledTensor>> Read(size_t* used) {
    while (!done_) {
      if (at_ >= bytes_.size()) return Invalid("it is cut short");
      if (values_.size() > kMostValues || memo_.size() > kMostValues) {
        return Error{ErrorCode::kLimitExceeded, "it has over 262,144 values", file_};
      }
      QKV_CHECK(Step(bytes_[at_++]));
      if (failed_) return Invalid("it is cut short or damaged");
    }
    if (used != nullptr) *used = at_;
    return std::move(named_);
  }

 private:
  using Kind = Value::Kind;

  Error Invalid(std::string message) const {
    return {ErrorCode::kInvalidFile, "this is not a pickle of PyTorch's: " + std::move(message), file_};
  }
  Error Refuse(std::string_view what) const {
    return {ErrorCode::kUnsupported,
            "its pickle asks for \"" + std::string(what) + "\"; only tensors are read, nothing is run", file_};
  }

  Error TooLong() const { return {ErrorCode::kLimitExceeded, "it has a name over 1,024 bytes", file_}; }

  // The next `count` bytes; empty if there are fewer.
  std::string_view Take(uint64_t count) {
    if (count > bytes_.size() - at_) failed_ = true;
    if (failed_) return {};
    const auto* begin = reinterpret_cast<const char*>(bytes_.data() + at_);
    at_ += static_cast<size_t>(count);
    return {begin, static_cast<size_t>(count)};
  }
  std::string_view Line() {
    const auto* const begin = reinterpret_cast<const char*>(bytes_.data());
    const std::string_view rest(begin + at_, bytes_.size() - at_);
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return failed_ = true, std::string_view();
    at_ += end + 1;
    return rest.substr(0, end);
  }
  // A little-endian number of `size` bytes, signed if it has four or more.
  int64_t Number(size_t size) {
    const std::string_view bytes = Take(size);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size(); ++i) value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
    if (size == 4) return static_cast<int32_t>(value);
    return static_cast<int64_t>(value);
  }

  void Push(Value value) {
    stack_.push_back(static_cast<int32_t>(values_.size()));
    values_.push_back(std::move(value));
  }
  // Removes and returns the top of the stack. If the stack is empty, the pickle is invalid, and a value of no kind is
  // returned.
  int32_t Pop() {
    if (stack_.empty()) {
      failed_ = true;
      Push({});
    }
    const int32_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  // Removes and returns all values above the last mark, and removes the mark.
  std::vector<int32_t> PopToMark() {
    size_t mark = stack_.size();
    while (mark > 0 && At(stack_[mark - 1]).kind != Kind::kMark) --mark;
    if (mark == 0) return failed_ = true, std::vector<int32_t>();
    std::vector<int32_t> popped(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
    stack_.resize(mark - 1);
    return popped;
  }
  const Value& At(int32_t index) const { return values_[static_cast<size_t>(index)]; }

  void Tuple(std::vector<int32_t> parts) {
    if (parts.size() > kMostParts) failed_ = true;
    Push({.kind = Kind::kTuple, .parts = std::move(parts)});
  }
  void TupleOf(size_t count) {
    std::vector<int32_t> parts(count);
    for (size_t i = count; i-- > 0;) parts[i] = Pop();
    Tuple(std::move(parts));
  }
  void Memorise(int64_t index) {
    const auto at = static_cast<size_t>(index);
    if (index < 0 || at > kMostValues || stack_.empty()) return void(failed_ = true);
    if (at >= memo_.size()) memo_.resize(at + 1, kNothing);
    memo_[at] = stack_.back();
  }
  void Remember(int64_t index) {
    const auto at = static_cast<size_t>(index);
    if (index < 0 || at >= memo_.size() || memo_[at] == kNothing) return void(failed_ = true);
    stack_.push_back(memo_[at]);
    if (stack_.size() > kMostValues) failed_ = true;
  }

  Result<void> Step(uint8_t opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        if (Number(1) > 5) return Invalid("its protocol is not known");
        return {};
      case 0x95:  // FRAME
        Take(8);
        return {};
      case '.':  // STOP
        done_ = true;
        return {};
      case '(':  // MARK
        return Push({.kind = Kind::kMark}), Result<void>();
      case '}':  // EMPTY_DICT
        return Push({.kind = Kind::kDictionary}), Result<void>();
      case ')':  // EMPTY_TUPLE
        return Tuple({}), Result<void>();
      case ']':   // EMPTY_LIST
      case 'N':   // NONE
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        return Push({}), Result<void>();
      case 'K':  // BININT1
        return Push({.kind = Kind::kInteger, .integer = Number(1)}), Result<void>();
      case 'M':  // BININT2
        return Push({.kind = Kind::kInteger, .integer = Number(2)}), Result<void>();
      case 'J':  // BININT
        return Push({.kind = Kind::kInteger, .integer = Number(4)}), Result<void>();
      case 0x8A: {  // LONG1
        const auto size = static_cast<size_t>(Number(1));
        if (size > 8) {
          Take(size);
          return Push({}), Result<void>();
        }
        int64_t value = Number(size);
        if (size > 0 && size < 8 && (value >> (8 * size - 1) & 1) != 0) value -= int64_t{1} << (8 * size);
        return Push({.kind = Kind::kInteger, .integer = value}), Result<void>();
      }
      case 'G':  // BINFLOAT
        Take(8);
        return Push({}), Result<void>();
      case 'X':    // BINUNICODE
      case 'T': {  // BINSTRING
        const int64_t size = Number(4);
        return Push({.kind = Kind::kText, .text = Take(static_cast<uint64_t>(size))}), Result<void>();
      }
      case 0x8C:   // SHORT_BINUNICODE
      case 'U': {  // SHORT_BINSTRING
        const int64_t size = Number(1);
        return Push({.kind = Kind::kText, .text = Take(static_cast<uint64_t>(size))}), Result<void>();
      }
      case 'c':  // GLOBAL
        return Name();
      case 't':  // TUPLE
        return Tuple(PopToMark()), Result<void>();
      case 0x85:  // TUPLE1 to TUPLE3
      case 0x86:
      case 0x87:
        return TupleOf(opcode - 0x84u), Result<void>();
      case 'q':  // BINPUT
        return Memorise(Number(1)), Result<void>();
      case 'r':  // LONG_BINPUT
        return Memorise(Number(4)), Result<void>();
      case 0x94:  // MEMOIZE
        return Memorise(static_cast<int64_t>(memo_.size())), Result<void>();
      case 'h':  // BINGET
        return Remember(Number(1)), Result<void>();
      case 'j':  // LONG_BINGET
        return Remember(Number(4)), Result<void>();
      case '0':  // POP
      case 'a':  // APPEND: lists stay empty
      case 'b':  // BUILD: attributes are skipped
        Pop();
        return {};
      case 'e':  // APPENDS
        PopToMark();
        return {};
      case 'Q':  // BINPERSID
        return Storage(Pop());
      case 'R':  // REDUCE
        return Reduce();
      case 's': {  // SETITEM
        const int32_t value = Pop(), key = Pop();
        return Set(key, value);
      }
      case 'u': {  // SETITEMS
        const std::vector<int32_t> items = PopToMark();
        for (size_t i = 0; i + 1 < items.size(); i += 2) QKV_CHECK(Set(items[i], items[i + 1]));
        return {};
      }
      default:
        return Refuse("opcode " + std::to_string(opcode));
    }
  }

  Result<void> Name() {
    const std::string_view module = Line(), name = Line();
    if (failed_) return {};
    const std::string both = std::string(module) + " " + std::string(name);
    const auto* const storage =
        std::find_if(std::begin(kStorages), std::end(kStorages), [&](const auto& each) { return each.first == both; });
    if (storage != std::end(kStorages)) {
      return Push({.kind = Kind::kName, .text = storage->first, .dtype = storage->second}), Result<void>();
    }
    for (const std::string_view each : {kDictionaryName, kTensorName, kParameterName}) {
      if (each == both) return Push({.kind = Kind::kName, .text = each}), Result<void>();
    }
    return Refuse(both);
  }

  // ("storage", type, key, device, size)
  Result<void> Storage(int32_t index) {
    const Value& id = At(index);
    if (id.kind != Kind::kTuple || id.parts.size() < 5 || At(id.parts[1]).dtype.empty() ||
        At(id.parts[2]).kind != Kind::kText) {
      return Invalid("a storage is not described as PyTorch does");
    }
    const std::string_view dtype = At(id.parts[1]).dtype, key = At(id.parts[2]).text;
    if (key.size() > kLongestName) return TooLong();
    return Push({.kind = Kind::kStorage, .text = key, .dtype = dtype}), Result<void>();
  }

  Result<void> Reduce() {
    const int32_t arguments = Pop(), function = Pop();
    const std::string_view name = At(function).kind == Kind::kName ? At(function).text : std::string_view();
    const std::vector<int32_t> parts = At(arguments).parts;
    if (name == kDictionaryName) return Push({.kind = Kind::kDictionary}), Result<void>();
    if (name == kParameterName && !parts.empty()) {
      const Value inner = At(parts[0]);
      if (inner.kind == Kind::kTensor) return Push(inner), Result<void>();
    }
    if (name == kTensorName && parts.size() >= 4) return Tensor(parts);
    return Invalid("it calls something that is not a function");
  }

  // (storage, first, size, stride, ...)
  Result<void> Tensor(const std::vector<int32_t>& parts) {
    const Value &storage = At(parts[0]), &first = At(parts[1]), &sizes = At(parts[2]), &strides = At(parts[3]);
    // The parts have the kinds that PyTorch writes.
    const bool right = storage.kind == Kind::kStorage && first.kind == Kind::kInteger && sizes.kind == Kind::kTuple &&
                       strides.kind == Kind::kTuple && sizes.parts.size() == strides.parts.size();
    if (!right || first.integer < 0) return Invalid("a tensor is not described as PyTorch does");
    if (static_cast<uint64_t>(first.integer) > kMostNumbers) return Invalid("a tensor begins past the end of any file");
    PickledTensor tensor{
        {}, std::string(storage.dtype), std::string(storage.text), static_cast<uint64_t>(first.integer), {}};
    // From the last axis to the first: each stride must be the product of the sizes behind it.
    uint64_t numbers = 1;
    for (size_t i = sizes.parts.size(); i-- > 0;) {
      const int64_t size = At(sizes.parts[i]).integer, stride = At(strides.parts[i]).integer;
      if (size < 0 || size > INT32_MAX) return Invalid("a tensor's size is no size");
      if (size > 1 && static_cast<uint64_t>(stride) != numbers) {
        return Error{ErrorCode::kUnsupported,
                     "a tensor's numbers do not lie in order: save the model again with contiguous tensors", file_};
      }
      if (size > 0 && numbers > kMostNumbers / static_cast<uint64_t>(size)) {
        return Invalid("a tensor has more numbers than any file");
      }
      numbers *= static_cast<uint64_t>(size);
      tensor.shape.insert(tensor.shape.begin(), static_cast<uint64_t>(size));
    }
    // The stack holds the tensor's number.
    const auto index = static_cast<int64_t>(tensors_.size());
    tensors_.push_back(std::move(tensor));
    return Push({.kind = Kind::kTensor, .integer = index}), Result<void>();
  }

  // Sets an entry of the dictionary on top of the stack. A tensor is kept by its name, whichever dictionary it is in.
  Result<void> Set(int32_t key, int32_t value) {
    if (At(value).kind != Kind::kTensor) return {};
    if (At(key).kind != Kind::kText) return Invalid("a tensor has no name");
    if (At(key).text.size() > kLongestName) return TooLong();
    PickledTensor named = tensors_[static_cast<size_t>(At(value).integer)];
    named.name = At(key).text;
    named_.push_back(std::move(named));
    if (named_.size() <= kMostTensors) return {};
    return Error{ErrorCode::kLimitExceeded, "it has over 65,536 tensors", file_};
  }

  std::span<const uint8_t> bytes_;
  std::string file_;
  size_t at_ = 0;
  bool done_ = false, failed_ = false;
  std::vector<Value> values_;
  std::vector<int32_t> stack_, memo_;
  std::vector<PickledTensor> tensors_, named_;
};

}  // namespace

Result<std::vector<PickledTensor>> ReadPickle(std::span<const uint8_t> bytes, std::string_view file, size_t* used) {
  return Unpickler(bytes, file).Read(used);
}

}  // namespace qkv
