#include "wasm/values.h"

#include <algorithm>

#include "core/base/budget.h"

namespace qkv::wasm {

val Field(const val& object, const char* name) { return object[name]; }

double Number(const val& object, const char* name) { return object[name].as<double>(); }

bool Flag(const val& object, const char* name) { return object[name].isTrue(); }

std::string Text(const val& object, const char* name) { return object[name].as<std::string>(); }

void Set(val& object, const char* name, const val& value) { object.set(name, value); }

void SetText(val& object, const char* name, std::string_view text) { object.set(name, std::string(text)); }

void Push(val& list, const val& item) { list.call<void>("push", item); }

val Numbers(std::initializer_list<size_t> numbers) {
  val list = val::array();
  for (const size_t number : numbers) Push(list, val(static_cast<double>(number)));
  return list;
}

val Strings(std::span<const std::string_view> texts) {
  val list = val::array();
  for (const std::string_view text : texts) Push(list, val(std::string(text)));
  return list;
}

bool IsGiven(const val& value) { return !value.isUndefined() && !value.isNull(); }

std::vector<uint8_t> Bytes(const val& array) {
  return IsGiven(array) ? emscripten::convertJSArrayToNumberVector<uint8_t>(array) : std::vector<uint8_t>{};
}

namespace {

// A text takes up to three bytes of UTF-8 for each UTF-16 unit.
uint64_t BytesIn(const val& given) {
  if (!IsGiven(given)) return 0;
  const auto length = static_cast<uint64_t>(Number(given, "length"));
  if (given.isString()) return 3 * length;
  if (!given.isArray()) return length;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < length; ++i) bytes += BytesIn(given[static_cast<double>(i)]);
  return bytes;
}

uint64_t BytesInAll(std::initializer_list<val> given) {
  uint64_t bytes = 0;
  for (const val& each : given) bytes += BytesIn(each);
  return bytes;
}

// Memory for each byte of a text while it is cut into pieces: its origin, its offset, its candidates for joining.
constexpr uint64_t kMemoryPerByte = 100;

}  // namespace

Result<void> CheckFiles(std::initializer_list<val> files) {
  return CheckMemory(2 * BytesInAll(files), kTooLarge, "the model's files");
}

Result<void> CheckTexts(std::initializer_list<val> texts) {
  const uint64_t bytes = BytesInAll(texts);
  const uint64_t cut = kMemoryPerByte * std::min<uint64_t>(bytes, kLongestText);
  return CheckMemory(2 * bytes + cut, "give shorter texts, or fewer at a time", "texts");
}

val ErrorValue(const Error& error) {
  val inner = val::object(), outer = val::object();
  SetText(inner, "code", Name(error.code));
  SetText(inner, "message", error.message);
  SetText(inner, "where", error.where);
  Set(outer, "error", inner);
  return outer;
}

val NoSuch(const char* what) {
  return ErrorValue({ErrorCode::kInvalidArgument, std::string("no such ") + what + "; it has been freed", what});
}

}  // namespace qkv::wasm
