#include "core/train/language_task.h"

#include "core/detect/language_model.h"
#include "core/io/files.h"
#include "core/train/config_json.h"
#include "core/train/language_examples.h"
#include "core/train/trainer.h"

namespace qkv {
namespace {

constexpr size_t kMostRows = size_t{1} << 14;  // of a text

class TrainableLanguageModel : public TrainableModel {
 public:
  explicit TrainableLanguageModel(const LanguageModel& model) : model_(model) {}

  MatrixView Forward(Context& ctx, const Batch& batch) const override {
    return model_.Pool(ctx, batch.source, batch.source_segments);
  }
  MatrixView Logits(Context& ctx, ConstMatrixView rows) const override { return model_.Logits(ctx, rows); }

 private:
  const LanguageModel& model_;
};

class LanguageTask : public TrainingTask {
 public:
  LanguageTask(std::unique_ptr<LanguageModel> model, SmallFiles files)
      : model_(std::move(model)),
        trainable_(*model_),
        examples_(model_->grams(), model_->config().languages),
        files_(std::move(files)) {}

  const TrainableModel& trainable() const override { return trainable_; }
  const Examples& examples() const override { return examples_; }
  WeightSlots Slots() override { return model_->Slots(); }
  size_t max_positions() const override { return kMostRows; }
  int32_t start() const override { return Trainer::kNoStart; }
  const SmallFiles& files() const override { return files_; }
  Result<void> Begin(const std::string& from, Parameters&) const override {
    return Error{ErrorCode::kUnsupported, "a language detector is trained from the start", from};
  }

 private:
  std::unique_ptr<LanguageModel> model_;
  TrainableLanguageModel trainable_;
  LanguageExamples examples_;
  SmallFiles files_;
};

}  // namespace

Result<std::unique_ptr<TrainingTask>> MakeLanguageTask(const RunConfig& run, const std::string& vocabulary) {
  QKV_TRY(std::string grams, ReadWholeFile(vocabulary + "/ngrams.txt", kLargestJson));
  // The preset's sizes, changed by what the run says of the model, and its languages.
  const LanguageConfig preset;
  ConfigJson json;
  json.Set("model_type", kLanguageModelType);
  json.Set("columns", preset.columns);
  json.Set("heads", preset.heads);
  QKV_CHECK(json.Change(run.model));
  json.SetTexts("languages", run.labels);
  SmallFiles files = {{"config.json", json.Text()}, {"ngrams.txt", std::move(grams)}};
  QKV_TRY(std::unique_ptr<LanguageModel> model, LanguageModel::Create(files));
  return std::unique_ptr<TrainingTask>(std::make_unique<LanguageTask>(std::move(model), std::move(files)));
}

}  // namespace qkv
