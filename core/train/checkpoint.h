// Where a run stands, on disk: everything that it needs to go on as if it had not been interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/train/batches.h"
#include "core/train/trainer.h"

namespace qkv {

struct RunPlace {
  uint64_t step = 0, averaged = 0;  // of the trainer
  BatchState batches;
  double seconds = 0;   // of training
  uint64_t tokens = 0;  // seen, of both sides
  double best = 0;      // the best measurement, and the step that it was made at; 0: none yet
  uint64_t best_step = 0;
  uint64_t measured_since = 0;  // measurements since the best one
};

// Writes `folder`/checkpoint-STEP as a whole or not at all: killed at any moment, the one before it is still there.
// Those before it are removed afterwards. Errors: kInvalidFile where the disk does not take it.
Result<void> SaveCheckpoint(const std::string& folder, Trainer& trainer, const RunPlace& progress);

// The step of the latest one, if there is any.
std::optional<uint64_t> LatestCheckpoint(const std::string& folder);

// Puts the latest one's weights, moments and averages into the trainer. Errors: kMissingFile, kInvalidFile; then the
// trainer must not be used.
Result<RunPlace> LoadCheckpoint(const std::string& folder, Trainer& trainer);

}  // namespace qkv
