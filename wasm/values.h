// Values between C++ and JavaScript. Arrays are copied, in and out: views into WebAssembly memory die when it grows.
// Embind's own operations are inline and long; these are called.
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

// Of an object's fields.
val Field(const val& object, const char* name);
double Number(const val& object, const char* name);
bool Flag(const val& object, const char* name);  // false where it is absent
std::string Text(const val& object, const char* name);
void Set(val& object, const char* name, const val& value);
void SetText(val& object, const char* name, std::string_view text);

void Push(val& list, const val& item);
val Numbers(std::initializer_list<size_t> numbers);
val Strings(std::span<const std::string_view> texts);

// Whether the files that JavaScript gives, texts or bytes or lists of them, have room here, once on their way and once
// where they stay; and texts, besides, while they are cut into pieces.
Result<void> CheckFiles(std::initializer_list<val> files);
Result<void> CheckTexts(std::initializer_list<val> texts);

// Neither undefined nor null.
bool IsGiven(const val& value);

// What a Uint8Array holds; nothing where it is not given.
std::vector<uint8_t> Bytes(const val& array);

// A typed array of its own.
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

// What a Result holds.
inline val ResultValue(const Result<val>& result) { return result ? result.value() : ErrorValue(result.error()); }

// For a handle that names nothing: freed already, or never given.
val NoSuch(const char* what);

}  // namespace qkv::wasm
