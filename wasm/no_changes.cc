// Bindings of the programs that cannot change a model's forward pass. JavaScript refuses the option for them.
#include "wasm/changes.h"

namespace qkv::wasm {

Result<std::shared_ptr<const PassChanges>> ReadChanges(const emscripten::val&, const SequenceConfig&) {
  return std::shared_ptr<const PassChanges>();
}

}  // namespace qkv::wasm
