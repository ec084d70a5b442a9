// The door of the bindings: what concerns the engine as a whole. Models are in models.cc, jobs in jobs.cc, what
// is asked of encoders and generators in one_sided.cc; nothing in
// this folder thinks.
#include <emscripten/bind.h>

#include <algorithm>

#include "core/base/error.h"
#include "wasm/engine.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

val ErrorCodes() {
  val codes = val::array();
  for (const ErrorCode code : kErrorCodes) codes.call<void>("push", std::string(Name(code)));
  return codes;
}

}  // namespace

EMSCRIPTEN_BINDINGS(qkv) {
  emscripten::function("errorCodes", &ErrorCodes);
  emscripten::function("useThreads", +[](int count) { ThreadCount() = static_cast<size_t>(std::max(count, 1)); });
}

}  // namespace qkv::wasm
