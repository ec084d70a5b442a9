// A run of training from its config to its model folder: reading, measuring, logging, checkpoints, an end.
//
// In the folder that it writes:
//   model/           the best model so far by what is measured, or the last one; it translates at any time
//   log.jsonl        a line each time something is known
//   curves.html      the same, drawn
//   checkpoint-STEP  where to go on
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/train/run_config.h"

namespace qkv {

struct RunNews {
  uint64_t step = 0, steps = 0;
  double loss = 0;  // nats a piece, with label smoothing, since the news before
  double rate = 0;
  double tokens_per_second = 0, seconds_left = 0;
  bool measured = false;
  double dev_loss = 0, dev_bleu = 0;  // where something was measured; BLEU only where it is asked for
};

struct RunOptions {
  bool resume = false;  // go on from the latest checkpoint; without one, begin
  size_t threads = 1;
  std::function<void(const RunNews&)> news;
  // BLEU of a model folder on pairs, 0 to 100. Wanted where the config measures by it.
  std::function<Result<double>(const std::string& folder, const std::vector<TextPair>& pairs)> bleu;
  const std::atomic<bool>* stop = nullptr;  // set: write a checkpoint and return
};

struct RunEnd {
  enum class Kind { kDone, kStopped, kPatience, kDiverged } kind = Kind::kDone;
  uint64_t step = 0, best_step = 0;
  double best = 0;
};

// `config_text` is the config's file, which is kept beside the log; paths are relative to `folder`. Errors: those of
// the config, of the data, of the disk.
Result<RunEnd> Run(const RunConfig& config, const std::string& config_text, const std::string& folder,
                   const RunOptions& options);

}  // namespace qkv
