#include "wasm/values.h"

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
