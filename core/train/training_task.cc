#include "core/train/training_task.h"

#include <filesystem>

#include "core/encode/encoder_model.h"
#include "core/generate/generator_model.h"
#include "core/io/files.h"
#include "core/models/any_sequence_model.h"
#include "core/text/spm_file.h"
#include "core/train/begin_from.h"
#include "core/train/one_sided_presets.h"
#include "core/train/pair_examples.h"
#include "core/train/sequence_presets.h"
#include "core/train/text_examples.h"
#include "core/train/trainable_one_sided.h"
#include "core/train/trainer.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

// A file's content; empty where there is none.
Result<std::string> ReadIfThere(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::string();
  return ReadWholeFile(path, kLargestSpm);
}

class TranslationTask : public TrainingTask {
 public:
  static Result<std::unique_ptr<TrainingTask>> Make(const RunConfig& run, const std::string& vocabulary) {
    // The vocabulary, as `qkv vocab` wrote it.
    auto task = std::make_unique<TranslationTask>();
    QKV_TRY(std::string pieces, ReadWholeFile(vocabulary + "/vocab.json", kLargestJson));
    QKV_TRY(std::string source_spm, ReadWholeFile(vocabulary + "/source.spm", kLargestSpm));
    QKV_TRY(std::string target_spm, ReadIfThere(vocabulary + "/target.spm"));
    QKV_TRY(task->rows_, SubwordRows::Parse(pieces, source_spm, target_spm, run.subwords));
    // The model, and the class that makes examples of pairs.
    QKV_TRY(std::string config, ModelConfigOf(run, *task->rows_));
    QKV_TRY(task->model_, MakeSequenceModel(config));
    task->trainable_ = std::make_unique<TrainableSequenceModel>(*task->model_);
    task->examples_ = std::make_unique<PairExamples>(*task->rows_);
    // The small files of the folder that the run writes.
    task->files_ = {{"config.json", std::move(config)},
                    {"generation_config.json", GenerationConfigOf(task->model_->config())},
                    {"vocab.json", std::move(pieces)},
                    {"source.spm", std::move(source_spm)},
                    {"target.spm", std::move(target_spm)}};
    return std::unique_ptr<TrainingTask>(std::move(task));
  }

  const TrainableModel& trainable() const override { return *trainable_; }
  const Examples& examples() const override { return *examples_; }
  WeightSlots Slots() override { return model_->Slots(); }
  size_t max_positions() const override { return model_->config().max_positions; }
  int32_t start() const override { return rows_->start(); }
  const SmallFiles& files() const override { return files_; }
  Result<void> Begin(const std::string& from, Parameters& parameters) const override {
    return BeginFrom(from, std::string(ContentOf(files_, "vocab.json")), parameters);
  }

 private:
  std::unique_ptr<SubwordRows> rows_;
  std::unique_ptr<SequenceModel> model_;
  std::unique_ptr<TrainableSequenceModel> trainable_;
  std::unique_ptr<PairExamples> examples_;
  SmallFiles files_;
};

// An encoder or a decoder alone. Its only tokenizer file is tokenizer.json.
template <class Model>
class OneSidedTask : public TrainingTask {
 public:
  static Result<std::unique_ptr<TrainingTask>> Make(const RunConfig& run, SmallFiles files) {
    auto task = std::make_unique<OneSidedTask>();
    QKV_TRY(task->model_, Model::Create(files));
    task->files_ = std::move(files);
    task->Prepare(run);
    return std::unique_ptr<TrainingTask>(std::move(task));
  }

  const TrainableModel& trainable() const override { return *trainable_; }
  const Examples& examples() const override { return *examples_; }
  WeightSlots Slots() override { return model_->Slots(); }
  size_t max_positions() const override;
  int32_t start() const override { return Trainer::kNoStart; }
  const SmallFiles& files() const override { return files_; }
  Result<void> Begin(const std::string& from, Parameters& parameters) const override {
    return BeginFromOneSided(from, ContentOf(files_, "tokenizer.json"), parameters);
  }

 private:
  void Prepare(const RunConfig& run);

  std::unique_ptr<Model> model_;
  std::unique_ptr<TrainableModel> trainable_;
  std::unique_ptr<Examples> examples_;
  SmallFiles files_;
};

template <>
void OneSidedTask<GeneratorModel>::Prepare(const RunConfig&) {
  trainable_ = std::make_unique<TrainableGenerator>(model_->decoder());
  examples_ = std::make_unique<LanguageModelExamples>(model_->tokenizer(), EndOfText(model_->tokenizer()));
}
template <>
size_t OneSidedTask<GeneratorModel>::max_positions() const {
  return model_->config().positions;
}

template <>
void OneSidedTask<EncoderModel>::Prepare(const RunConfig& run) {
  trainable_ = std::make_unique<TrainableEncoder>(model_->encoder());
  const Tokenizer& tokenizer = model_->tokenizer();
  if (run.task == Task::kMasked) examples_ = std::make_unique<MaskedExamples>(tokenizer, model_->mask());
  if (run.task == Task::kClassify) examples_ = std::make_unique<ClassificationExamples>(tokenizer, run.labels);
  if (run.task == Task::kTag) examples_ = std::make_unique<TaggingExamples>(tokenizer, run.labels);
}
template <>
size_t OneSidedTask<EncoderModel>::max_positions() const {
  return model_->config().longest();
}

}  // namespace

Result<std::unique_ptr<TrainingTask>> MakeTrainingTask(const RunConfig& run, const std::string& folder) {
  // Pairs of texts train a translation model. The other tasks have one text and tokenizer.json.
  const std::string vocabulary = (fs::path(folder) / run.vocabulary).string();
  if (run.task == Task::kTranslate) return TranslationTask::Make(run, vocabulary);
  QKV_TRY(std::string json, ReadWholeFile(vocabulary + "/tokenizer.json", kLargestJson));
  QKV_TRY(const Tokenizer tokenizer, Tokenizer::Parse(json));
  QKV_TRY(std::string config, OneSidedConfigOf(run, tokenizer));
  SmallFiles files = {{"config.json", std::move(config)}, {"tokenizer.json", std::move(json)}};
  // Only a generator has options of sampling.
  if (run.task != Task::kContinue) return OneSidedTask<EncoderModel>::Make(run, std::move(files));
  files.emplace_back("generation_config.json", SamplingConfigOf(EndOfText(tokenizer)));
  return OneSidedTask<GeneratorModel>::Make(run, std::move(files));
}

}  // namespace qkv
