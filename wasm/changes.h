// Reads changes to a model's forward pass from JavaScript.
#pragma once

#include <emscripten/val.h>

#include <memory>

#include "core/attention/interventions.h"
#include "core/base/error.h"
#include "core/models/sequence_config.h"

namespace qkv::wasm {

// Reads and checks the field `interventions` of an options object, a JSON text. Null if it is absent. Each program
// defines this function: wasm/changes.cc, wasm/no_changes.cc.
Result<std::shared_ptr<const PassChanges>> ReadChanges(const emscripten::val& options, const SequenceConfig& config);

}  // namespace qkv::wasm
