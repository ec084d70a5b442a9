// Values between C++ and JavaScript. Arrays are copied, in and out: views into WebAssembly memory die when it grows.
#pragma once

#include <emscripten/val.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace qkv::wasm {

using emscripten::val;

// A typed array of its own.
template <class T>
val TypedArray(const std::vector<T>& values) {
  return val(emscripten::typed_memory_view(values.size(), values.data())).template call<val>("slice");
}

// {data, shape}
template <class T>
val TensorValue(const std::vector<T>& data, std::initializer_list<size_t> sizes) {
  val shape = val::array();
  for (const size_t size : sizes) shape.call<void>("push", static_cast<double>(size));
  val tensor = val::object();
  tensor.set("data", TypedArray(data));
  tensor.set("shape", shape);
  return tensor;
}

template <class Names>
val Strings(const Names& names) {
  val list = val::array();
  for (const std::string_view name : names) list.call<void>("push", std::string(name));
  return list;
}

inline bool IsGiven(const val& value) { return !value.isUndefined() && !value.isNull(); }

// {error: {code, message, where}}
inline val ErrorValue(const Error& error) {
  val inner = val::object();
  inner.set("code", std::string(Name(error.code)));
  inner.set("message", error.message);
  inner.set("where", error.where);
  val outer = val::object();
  outer.set("error", inner);
  return outer;
}

// What a Result holds.
inline val ResultValue(const Result<val>& result) { return result ? result.value() : ErrorValue(result.error()); }

// For a handle that names nothing: freed already, or never given.
inline val NoSuch(const char* what) {
  return ErrorValue({ErrorCode::kInvalidArgument, std::string("no such ") + what + "; it has been freed", what});
}

}  // namespace qkv::wasm
