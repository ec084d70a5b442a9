// Where a run stands, on disk: everything that it needs to go on as if it had not been interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/train/run_place.h"
#include "core/train/trainer.h"

namespace qkv {

// Writes `folder`/checkpoint-STEP as a whole or not at all: killed at any moment, the one before it is still there.
// Those before it are removed afterwards. Errors: kInvalidFile where the disk does not take it.
Result<void> SaveCheckpoint(const std::string& folder, Trainer& trainer, const RunPlace& progress);

// The step of the latest one, if there is any.
std::optional<uint64_t> LatestCheckpoint(const std::string& folder);

// Puts the latest one's weights, moments and averages into the trainer. Errors: kMissingFile, kInvalidFile; then the
// trainer must not be used.
Result<RunPlace> LoadCheckpoint(const std::string& folder, Trainer& trainer);

}  // namespace qkv
