// Checkpoints: everything that a run needs to continue as if it had not been interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/train/run_place.h"
#include "core/train/trainer.h"

namespace qkv {

// Writes `folder`/checkpoint-STEP atomically: if the process is killed, the previous checkpoint is still there. Older
// checkpoints are removed afterwards. Errors: kInvalidFile if the disk refuses it.
Result<void> SaveCheckpoint(const std::string& folder, Trainer& trainer, const RunPlace& progress);

// The step of the latest checkpoint, if there is one.
std::optional<uint64_t> LatestCheckpoint(const std::string& folder);

// Reads the weights, moments and averages of the latest checkpoint into the trainer. Errors: kMissingFile,
// kInvalidFile; then the trainer must not be used.
Result<RunPlace> LoadCheckpoint(const std::string& folder, Trainer& trainer);

}  // namespace qkv
