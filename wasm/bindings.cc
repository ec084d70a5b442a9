// The bindings that every program has. Models are in models.cc, their jobs in jobs.cc, encoders and generators in
// one_sided.cc, the attention family in attention.cc. The files of this folder convert values; they compute nothing.
#include <emscripten/bind.h>
#include <emscripten/heap.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>

#include "core/base/error.h"
#include "wasm/engine.h"
#include "wasm/values.h"

// Only Embind uses the C library's printing, and only "%p" for the address of a type. This replacement saves 5 KB.
extern "C" int siprintf(char* to, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const uintptr_t address = va_arg(arguments, uintptr_t);
  va_end(arguments);
  int length = 0;
  for (int shift = 28; shift >= 0; shift -= 4) to[length++] = "0123456789abcdef"[address >> shift & 15];
  to[length] = '\0';
  return length;
}

namespace qkv::wasm {
namespace {

val ErrorCodes() {
  val codes = val::array();
  for (const ErrorCode code : kErrorCodes) codes.call<void>("push", std::string(Name(code)));
  return codes;
}

double MemoryBytes() { return static_cast<double>(emscripten_get_heap_size()); }

}  // namespace

EMSCRIPTEN_BINDINGS(qkv) {
  emscripten::function("errorCodes", &ErrorCodes);
  emscripten::function("memoryBytes", &MemoryBytes);
  emscripten::function("useThreads", +[](int count) { ThreadCount() = static_cast<size_t>(std::max(count, 1)); });
}

}  // namespace qkv::wasm
