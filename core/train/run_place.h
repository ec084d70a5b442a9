// The position of a run of training, in numbers: together with the trainer's tensors all that it needs to continue.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/train/batches.h"

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

std::string ToJson(const RunPlace& place);
// Errors: kInvalidFile.
Result<RunPlace> ParseRunPlace(std::string_view json);

}  // namespace qkv
