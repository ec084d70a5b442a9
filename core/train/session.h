// Training in memory, one step at a time, for pages. The model can translate between two steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/trace.h"
#include "core/base/error.h"
#include "core/train/pair_examples.h"
#include "core/train/run_config.h"
#include "core/train/run_place.h"
#include "core/train/trainer.h"
#include "core/translate/model.h"

namespace qkv {

// The small files of the folder that the model makes.
struct SessionFiles {
  std::string config, generation_config, vocabulary, source_spm, target_spm;  // target_spm may be empty
};

struct SessionData {
  std::string vocabulary, source_spm, target_spm;  // as in a model folder; empty: a vocabulary of the pairs' characters
  std::string pairs;                               // SOURCE<TAB>TARGET lines
  std::string dev;                                 // the same, to measure by; may be empty
};

class Session {
 public:
  // `config` is a run's (core/train/run_config.h) without files. Errors: kInvalidFile and kInvalidArgument name the
  // field.
  static Result<std::unique_ptr<Session>> Create(std::string_view config, SessionData data, size_t threads);

  // One update. Errors: those of reading batches.
  Result<Trainer::Report> Step();
  // The loss on `dev` in nats for each piece, with the averaged weights if there are any; nothing without such pairs.
  Result<double> Measure();
  void set_rate(double rate) { trainer_->set_rate(rate); }

  // How the loss -log p(target | source) changes with each attention weight: maps of d loss / d weight, of the shapes
  // that a trace of the pair has. A side longer than the config's longest is cut. Errors: those of Examples::Make.
  struct AttentionGradient {
    double loss = 0;  // in nats
    AttentionMap encoder, decoder, cross;
  };
  Result<AttentionGradient> GradientOf(std::string_view source, std::string_view target);

  // To translate with; it changes with each step.
  const TranslationModel& model() const { return *model_; }
  const SessionFiles& files() const { return files_; }
  // model.safetensors of the weights, averaged if averaging is on; F16.
  std::string Weights();

  // The state with which another session of the same config and data continues exactly as this one.
  struct Saved {
    std::string place;    // JSON
    std::string tensors;  // safetensors
  };
  Saved Save();
  // Errors: kInvalidFile, kInvalidArgument; then the session must not be used.
  Result<void> Load(std::string_view place, std::span<const uint8_t> tensors);

  const RunPlace& place() const { return place_; }

 private:
  Session() = default;
  Result<void> MakeModel();
  Result<void> OpenData(SessionData data);

  RunConfig config_;
  SessionFiles files_;
  std::unique_ptr<SubwordRows> rows_;
  std::unique_ptr<PairExamples> examples_;
  std::unique_ptr<TranslationModel> model_;
  std::unique_ptr<TrainableSequenceModel> trainable_;
  std::unique_ptr<BatchStream> stream_;
  std::vector<Batch> dev_;
  std::vector<Batch> batches_;
  std::unique_ptr<Trainer> trainer_;
  RunPlace place_;
};

}  // namespace qkv
