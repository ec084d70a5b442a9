#include "core/train/subject.h"

#include <filesystem>

#include "core/encode/encoder_model.h"
#include "core/generate/generator_model.h"
#include "core/io/files.h"
#include "core/models/any_sequence_model.h"
#include "core/text/spm_file.h"
#include "core/train/begin_from.h"
#include "core/train/one_sided_presets.h"
#include "core/train/one_sided_pupils.h"
#include "core/train/pair_examples.h"
#include "core/train/sequence_presets.h"
#include "core/train/text_examples.h"
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

class TranslationSubject : public Subject {
 public:
  static Result<std::unique_ptr<Subject>> Make(const RunConfig& run, const std::string& vocabulary) {
    auto subject = std::make_unique<TranslationSubject>();
    QKV_TRY(std::string pieces, ReadWholeFile(vocabulary + "/vocab.json", kLargestJson));
    QKV_TRY(std::string source_spm, ReadWholeFile(vocabulary + "/source.spm", kLargestSpm));
    QKV_TRY(std::string target_spm, ReadIfThere(vocabulary + "/target.spm"));
    QKV_TRY(subject->rows_, SubwordRows::Parse(pieces, source_spm, target_spm, run.subwords));
    QKV_TRY(std::string config, ModelConfigOf(run, *subject->rows_));
    QKV_TRY(subject->model_, MakeSequenceModel(config));
    subject->pupil_ = std::make_unique<SequencePupil>(*subject->model_);
    subject->examples_ = std::make_unique<PairExamples>(*subject->rows_);
    subject->files_ = {{"config.json", std::move(config)},
                       {"generation_config.json", GenerationConfigOf(subject->model_->config())},
                       {"vocab.json", std::move(pieces)},
                       {"source.spm", std::move(source_spm)},
                       {"target.spm", std::move(target_spm)}};
    return std::unique_ptr<Subject>(std::move(subject));
  }

  const Pupil& pupil() const override { return *pupil_; }
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
  std::unique_ptr<SequencePupil> pupil_;
  std::unique_ptr<PairExamples> examples_;
  SmallFiles files_;
};

// A model that only reads, or only writes; all that it has of a tokenizer is tokenizer.json.
template <class Model>
class OneSidedSubject : public Subject {
 public:
  static Result<std::unique_ptr<Subject>> Make(const RunConfig& run, SmallFiles files) {
    auto subject = std::make_unique<OneSidedSubject>();
    QKV_TRY(subject->model_, Model::Create(files));
    subject->files_ = std::move(files);
    subject->Teach(run);
    return std::unique_ptr<Subject>(std::move(subject));
  }

  const Pupil& pupil() const override { return *pupil_; }
  const Examples& examples() const override { return *examples_; }
  WeightSlots Slots() override { return model_->Slots(); }
  size_t max_positions() const override;
  int32_t start() const override { return Trainer::kNoStart; }
  const SmallFiles& files() const override { return files_; }
  Result<void> Begin(const std::string& from, Parameters& parameters) const override {
    return BeginFromOneSided(from, ContentOf(files_, "tokenizer.json"), parameters);
  }

 private:
  void Teach(const RunConfig& run);

  std::unique_ptr<Model> model_;
  std::unique_ptr<Pupil> pupil_;
  std::unique_ptr<Examples> examples_;
  SmallFiles files_;
};

template <>
void OneSidedSubject<GeneratorModel>::Teach(const RunConfig&) {
  pupil_ = std::make_unique<GeneratorPupil>(model_->decoder());
  examples_ = std::make_unique<ContinuedTexts>(model_->tokenizer(), EndOfText(model_->tokenizer()));
}
template <>
size_t OneSidedSubject<GeneratorModel>::max_positions() const {
  return model_->config().positions;
}

template <>
void OneSidedSubject<EncoderModel>::Teach(const RunConfig& run) {
  pupil_ = std::make_unique<EncoderPupil>(model_->encoder());
  const Tokenizer& tokenizer = model_->tokenizer();
  if (run.task == Task::kMasked) examples_ = std::make_unique<MaskedTexts>(tokenizer, model_->mask());
  if (run.task == Task::kClassify) examples_ = std::make_unique<LabelledTexts>(tokenizer, run.labels);
  if (run.task == Task::kTag) examples_ = std::make_unique<TaggedTexts>(tokenizer, run.labels);
}
template <>
size_t OneSidedSubject<EncoderModel>::max_positions() const {
  return model_->config().longest();
}

}  // namespace

Result<std::unique_ptr<Subject>> MakeSubject(const RunConfig& run, const std::string& folder) {
  const std::string vocabulary = (fs::path(folder) / run.vocabulary).string();
  if (run.task == Task::kTranslate) return TranslationSubject::Make(run, vocabulary);
  QKV_TRY(std::string json, ReadWholeFile(vocabulary + "/tokenizer.json", kLargestJson));
  QKV_TRY(const Tokenizer tokenizer, Tokenizer::Parse(json));
  QKV_TRY(std::string config, OneSidedConfigOf(run, tokenizer));
  SmallFiles files = {{"config.json", std::move(config)}, {"tokenizer.json", std::move(json)}};
  if (run.task != Task::kContinue) return OneSidedSubject<EncoderModel>::Make(run, std::move(files));
  files.emplace_back("generation_config.json", SamplingConfigOf(EndOfText(tokenizer)));
  return OneSidedSubject<GeneratorModel>::Make(run, std::move(files));
}

}  // namespace qkv
