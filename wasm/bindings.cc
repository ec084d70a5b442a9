// The door of the bindings: what concerns the engine as a whole. Models are in models.cc, jobs in jobs.cc; nothing in
// this folder thinks.
#include <emscripten/bind.h>

#include "core/base/error.h"
#include "wasm/values.h"

namespace qkv::wasm {
namespace {

val ErrorCodes() {
  val codes = val::array();
  for (const ErrorCode code : kErrorCodes) codes.call<void>("push", std::string(Name(code)));
  return codes;
}

}  // namespace

EMSCRIPTEN_BINDINGS(qkv) { emscripten::function("errorCodes", &ErrorCodes); }

}  // namespace qkv::wasm
