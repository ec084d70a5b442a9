// Converts values between C++ and JavaScript. Arrays are copied in both directions, because views into WebAssembly
// memory become invalid when it grows. These functions are not inline, because Embind's inline code is long.
#pragma once

#include <emscripten/val.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace qkv::wasm {

using emscripten::val;

// A field of an object.
val Field(const val& object, const char* name);
double Number(const val& object, const char* name);
bool Flag(const val& object, const char* name);  // false if it is absent
std::string Text(const val& object, const char* name);
void Set(val& object, const char* name, const val& value);
void SetText(val& object, const char* name, std::string_view text);

void Push(val& list, const val& item);
val Numbers(std::initializer_list<size_t> numbers);
val Strings(std::span<const std::string_view> texts);

// Checks that there is memory for files or texts from JavaScript, which are strings, bytes or lists of them. Each needs
// memory twice, for its conversion and for its copy. Texts also need memory while they are cut into pieces.
Result<void> CheckFiles(std::initializer_list<val> files);
Result<void> CheckTexts(std::initializer_list<val> texts);

// Whether a value is neither undefined nor null.
bool IsGiven(const val& value);

// The bytes of a Uint8Array; empty if it is undefined or null.
std::vector<uint8_t> Bytes(const val& array);

// A typed array with its own memory.
template <class T>
val TypedArray(const std::vector<T>& values) {
  return val(emscripten::typed_memory_view(values.size(), values.data())).template call<val>("slice");
}

// {data, shape}
template <class T>
val TensorValue(const std::vector<T>& data, std::initializer_list<size_t> shape) {
  val tensor = val::object();
  Set(tensor, "data", TypedArray(data));
  Set(tensor, "shape", Numbers(shape));
  return tensor;
}

// {error: {code, message, where}}
val ErrorValue(const Error& error);

// The value of a Result, or its error as a value.
inline val ResultValue(const Result<val>& result) { return result ? result.value() : ErrorValue(result.error()); }

// The error for an invalid handle: one that was freed or never existed.
val NoSuch(const char* what);

}  // namespace qkv::wasm
