// What a run trains: a model with its vocabulary, how it is taught, what its examples are, and the files that its
// folder has beside the weights.
#pragma once

#include <memory>
#include <string>

#include "core/io/model_files.h"
#include "core/layers/weight_slots.h"
#include "core/train/examples.h"
#include "core/train/parameters.h"
#include "core/train/pupil.h"
#include "core/train/run_config.h"

namespace qkv {

class Subject {
 public:
  virtual ~Subject() = default;

  virtual const Pupil& pupil() const = 0;
  virtual const Examples& examples() const = 0;
  virtual WeightSlots Slots() = 0;
  virtual size_t max_positions() const = 0;
  // The row that decoding begins with, which stays zero; Trainer::kNoStart: there is none.
  virtual int32_t start() const = 0;
  // Every file of the model's folder but its weights.
  virtual const SmallFiles& files() const = 0;
  // The weights of the model folder `from` into `parameters`, those of Slots(). Errors: core/train/begin_from.h.
  virtual Result<void> Begin(const std::string& from, Parameters& parameters) const = 0;
};

// Reads the vocabulary. The weights are to be reserved, and to be initialised. `folder`: the run's, which its paths are
// relative to. Errors: those of the vocabulary's files and of the config.
Result<std::unique_ptr<Subject>> MakeSubject(const RunConfig& run, const std::string& folder);

}  // namespace qkv
