// The task of a run: a model with its vocabulary, its loss, its examples, and the files of its folder other than the
// weights.
#pragma once

#include <memory>
#include <string>

#include "core/io/model_files.h"
#include "core/layers/weight_slots.h"
#include "core/train/examples.h"
#include "core/train/parameters.h"
#include "core/train/run_config.h"
#include "core/train/trainable_model.h"

namespace qkv {

class TrainingTask {
 public:
  virtual ~TrainingTask() = default;

  virtual const TrainableModel& trainable() const = 0;
  virtual const Examples& examples() const = 0;
  virtual WeightSlots Slots() = 0;
  virtual size_t max_positions() const = 0;
  // The row of embeddings that decoding begins with; it stays zero. Trainer::kNoStart: there is none.
  virtual int32_t start() const = 0;
  // Every file of the model's folder but its weights.
  virtual const SmallFiles& files() const = 0;
  // Reads the weights of the model folder `from` into `parameters`, those of Slots(). Errors: core/train/begin_from.h.
  virtual Result<void> Begin(const std::string& from, Parameters& parameters) const = 0;
};

// Reads the vocabulary. The caller then allocates and initialises the weights. Paths are relative to `folder`, that of
// the run. Errors: those of the vocabulary's files and of the config. The task `language` is made by
// core/train/language_task.h.
Result<std::unique_ptr<TrainingTask>> MakeTrainingTask(const RunConfig& run, const std::string& folder);

}  // namespace qkv
