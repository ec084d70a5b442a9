// From C++ values to JavaScript's. Arrays are copied out: views into WebAssembly memory die when it grows.
#pragma once

#include <emscripten/val.h>

#include <string>
#include <vector>

#include "core/base/error.h"

namespace qkv::wasm {

using emscripten::val;

// A Float32Array or Int32Array of its own.
template <class T>
val TypedArray(const std::vector<T>& values) {
  return val(emscripten::typed_memory_view(values.size(), values.data())).template call<val>("slice");
}

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

// For a handle that names nothing: freed already, or never given.
inline val NoSuch(const char* what) {
  return ErrorValue({ErrorCode::kInvalidArgument, std::string("no such ") + what + "; it has been freed", what});
}

}  // namespace qkv::wasm
