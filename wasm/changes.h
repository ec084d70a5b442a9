// Changes to a model's forward, as JavaScript gives them.
#pragma once

#include <emscripten/val.h>

#include <memory>

#include "core/attention/interventions.h"
#include "core/base/error.h"
#include "core/models/sequence_config.h"

namespace qkv::wasm {

// The field `interventions` of an options object, a JSON text, read and checked; null where it is absent. Each program
// defines this function: wasm/changes.cc, wasm/no_changes.cc.
Result<std::shared_ptr<const PassChanges>> ReadChanges(const emscripten::val& options, const SequenceConfig& config);

}  // namespace qkv::wasm
