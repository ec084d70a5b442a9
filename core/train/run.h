// A run of training from its config to its model folder: it reads data, trains, measures, logs, and writes checkpoints.
//
// In the folder that it writes:
//   model/           the best model so far by the measurements, or the last one; it can be used at any time
//   log.jsonl        one line for each report
//   curves.html      the same as curves
//   checkpoint-STEP  the state for resuming
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/train/process_group.h"
#include "core/train/run_config.h"

namespace qkv {

struct RunNews {
  uint64_t step = 0, steps = 0;
  double loss = 0;  // nats for each piece, with label smoothing, since the last report
  double rate = 0;
  double tokens_per_second = 0, seconds_left = 0;
  bool measured = false;
  double dev_loss = 0, dev_bleu = 0;  // if it was measured; BLEU only if it was requested
};

struct RunOptions {
  bool resume = false;  // continue from the latest checkpoint, if there is one
  size_t threads = 1;
  std::function<void(const RunNews&)> news;
  // BLEU of a model folder on pairs, 0 to 100. Required if the config measures by BLEU.
  std::function<Result<double>(const std::string& folder, const std::vector<TextPair>& pairs)> bleu;
  const std::atomic<bool>* stop = nullptr;  // set: write a checkpoint and return
  // The processes that train together; null: this one alone. Each takes `accumulate` batches of an update, and process
  // 0 alone reads and writes what is in the run's folder. All are given the same config and data, and return the same
  // end.
  ProcessGroup* group = nullptr;
};

struct RunEnd {
  enum class Kind { kDone, kStopped, kPatience, kDiverged } kind = Kind::kDone;
  uint64_t step = 0, best_step = 0;
  double best = 0;
};

// `config_text` is the config's file, which is kept beside the log; paths are relative to `folder`. Errors: those of
// the config, of the data, of the disk; of several processes those of Processes, and kInvalidArgument if they have
// other data or, by their processors, other weights. If the same error ended all processes, the group's all_failed() is
// true.
Result<RunEnd> Run(const RunConfig& config, const std::string& config_text, const std::string& folder,
                   const RunOptions& options);

}  // namespace qkv
