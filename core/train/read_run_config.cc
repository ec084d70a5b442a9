#include "core/train/read_run_config.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "core/kernels/gemm_bf16.h"
#include "core/train/config_fields.h"
#include "core/train/config_json.h"
#include "core/train/one_sided_presets.h"
#include "core/train/sequence_presets.h"

namespace qkv {
namespace {

constexpr double kMany = 1e15;
constexpr std::string_view kTasks[] = {"translate", "continue", "masked", "classify", "tag", "language"};
constexpr std::string_view kPrecisions[] = {"float", "bf16"};
constexpr std::string_view kWeights[] = {"float", "int4"};
constexpr std::string_view kMeasures[] = {"loss", "bleu"};

Result<void> ReadCorpora(const Json& json, const ConfigFields& fields, const std::string& file,
                         std::vector<CorpusFiles>& corpora) {
  if (!json.IsArray() || json.Empty()) return fields.Wrong("corpora", "must be a list of one corpus or more");
  for (const Json& one : json.GetArray()) {
    // The fields of one corpus.
    CorpusFiles corpus;
    std::string path;
    ConfigFields of_one(file, "corpora");
    of_one.Text("path", path);
    of_one.Text("source", corpus.source);
    of_one.Text("target", corpus.target);
    of_one.Number("weight", corpus.options.weight, 0, 1e6);
    of_one.Number("held_out", corpus.options.held_out, 0, 1);
    of_one.Number("column", corpus.options.column, 1, 2);
    QKV_CHECK(of_one.Read(one));
    // One file with two columns, or a file for each side.
    const bool one_file = !path.empty() && corpus.source.empty() && corpus.target.empty();
    const bool two_files = path.empty() && !corpus.source.empty() && !corpus.target.empty();
    if (!one_file && !two_files) {
      return fields.Wrong("corpora", "each has either \"path\", or \"source\" and \"target\"");
    }
    if (one_file) corpus.source = path;
    corpora.push_back(std::move(corpus));
  }
  return {};
}

Result<void> ReadOdds(const Json& json, const ConfigFields& fields, std::vector<double>& odds) {
  odds.clear();
  if (json.IsArray()) {
    for (const Json& one : json.GetArray()) odds.push_back(one.IsNumber() ? one.GetDouble() : -1);
  }
  const bool good = !odds.empty() && odds.size() <= 16 && odds[0] > 0 &&
                    std::all_of(odds.begin(), odds.end(), [](double x) { return x >= 0 && x <= 1e6; });
  if (good) return {};
  return fields.Wrong("joined", "must be a list of 1 to 16 odds, the first above 0");
}

Result<void> CheckFiles(const RunConfig& run, const ConfigFields& fields) {
  if (run.out.empty()) return fields.Wrong("out", "is missing: the folder to write");
  if (run.vocabulary.empty()) return fields.Wrong("vocabulary", "is missing: a folder that `qkv vocab` wrote");
  if (run.corpora.empty()) return fields.Wrong("corpora", "is missing: the training data");
  return {};
}

Result<void> ReadLabels(const Json& json, const ConfigFields& fields, std::vector<std::string>& labels) {
  if (json.IsArray()) {
    for (const Json& one : json.GetArray()) labels.emplace_back(one.IsString() ? one.GetString() : "");
  }
  const bool good = labels.size() >= 2 && labels.size() <= 1000 &&
                    std::all_of(labels.begin(), labels.end(), [](const std::string& label) { return !label.empty(); });
  if (good) return {};
  return fields.Wrong("labels", "must be a list of 2 to 1,000 names");
}

// The options that only one task has.
Result<void> CheckTask(const RunConfig& run, const ConfigFields& fields) {
  const bool labelled = HasLabels(run.task), texts = HasTextsAlone(run.task);
  if (labelled && run.labels.empty())
    return fields.Wrong("labels", "is missing: the names of the labels in the second column");
  for (const CorpusFiles& corpus : run.corpora) {
    if (!texts && corpus.options.column != 0) return fields.Wrong("corpora.column", "goes with texts alone");
    if (texts && !corpus.target.empty()) return fields.Wrong("corpora", "this task learns from one \"path\" each");
  }
  if (!labelled && !run.labels.empty())
    return fields.Wrong("labels", "goes with the tasks classify, tag and language alone");
  if (labelled && run.batch.joined.size() > 1) {
    return fields.Wrong("batch.joined", "must be left out: a label is one text's");
  }
  if (run.by_bleu && run.task != Task::kTranslate)
    return fields.Wrong("measure.by", "can be bleu of translations only");
  return {};
}

Result<void> CheckPreset(const RunConfig& run, const ConfigFields& fields) {
  if (run.task == Task::kLanguage) {
    if (run.preset.empty()) return {};
    return fields.Wrong("preset", "goes with the other tasks; give \"model\" columns and heads");
  }
  const auto check = [&](const auto& names) -> Result<void> {
    if (std::find(names.begin(), names.end(), run.preset) != names.end()) return {};
    return fields.Wrong("preset", "must be one of " + Listed(names));
  };
  return run.task == Task::kTranslate ? check(SequencePresets()) : check(OneSidedPresets());
}

// The whole file, field by field, read into a run.
class RunFields {
 public:
  RunFields(RunConfig& run, const std::string& file, DataIn data) : run_(run), file_(file), root_(file, "") {
    // Fields that only a run on files has: paths, reports, checkpoints.
    const bool files = data == DataIn::kFiles;
    if (files) Files();
    root_.Text("preset", run.preset);
    root_.Number("steps", run.steps, 1, kMany);
    root_.Number("seed", run.seed, 0, kMany);
    root_.Other("model", [this](const Json& value) -> Result<void> {
      if (!value.IsObject()) return root_.Wrong("model", "must be an object of config.json's fields");
      run_.model = PrettyText(value);
      return {};
    });
    Data();
    Learning();
    ConfigFields& measure = Part("measure");
    measure.Number("pairs", run_.measure_pairs, 1, 1 << 20);
    if (files) Reports(measure);
  }

  const ConfigFields& root() const { return root_; }
  bool joined_given() const { return joined_given_; }
  // The share of the steps after which the weights' mean is kept.
  double average_from() const { return average_from_; }

 private:
  void Files() {
    root_.Text("out", run_.out);
    root_.Text("vocabulary", run_.vocabulary);
    root_.Text("from", run_.from);
    root_.Text("dev", run_.dev);
    root_.Choice("task", kTasks, run_.task);
    root_.Other("labels", [this](const Json& value) { return ReadLabels(value, root_, run_.labels); });
    root_.Other("corpora", [this](const Json& value) { return ReadCorpora(value, root_, file_, run_.corpora); });
    root_.Choice("precision", kPrecisions, run_.trainer.precision);
    root_.Choice("wire", kPrecisions, run_.wire);
    root_.Choice("weights", kWeights, run_.int4);
  }

  void Data() {
    ConfigFields& batch = Part("batch");
    batch.Number("tokens", run_.batch.tokens, 1, 1 << 24);
    batch.Number("longest", run_.batch.longest, 2, 1 << 14);
    batch.Number("window_bytes", run_.batch.window_bytes, 1 << 10, kMany);
    batch.Number("accumulate", run_.accumulate, 1, 1 << 16);
    batch.Other("joined", [this, &batch](const Json& value) {
      joined_given_ = true;
      return ReadOdds(value, batch, run_.batch.joined);
    });
    ConfigFields& subwords = Part("subwords");
    subwords.Number("source", run_.subwords.source, 0, 1);
    subwords.Number("target", run_.subwords.target, 0, 1);
  }

  void Learning() {
    TrainerOptions& trainer = run_.trainer;
    ConfigFields& optimiser = Part("optimiser");
    optimiser.Number("beta1", trainer.beta1, 0, 0.999999);
    optimiser.Number("beta2", trainer.beta2, 0, 0.999999);
    optimiser.Number("epsilon", trainer.epsilon, 0, 1);
    optimiser.Number("decay", trainer.decay, 0, 1);
    optimiser.Number("clip", trainer.clip, 0, 1e6);
    optimiser.Number("smoothing", trainer.smoothing, 0, 0.999);
    ConfigFields& schedule = Part("schedule");
    schedule.Choice("kind", kScheduleNames, trainer.schedule.kind);
    schedule.Number("peak", trainer.schedule.peak, 0, 10);
    schedule.Number("warmup", trainer.schedule.warmup, 0, kMany);
    schedule.Number("floor", trainer.schedule.floor, 0, 1);
    ConfigFields& average = Part("average");
    average.Number("from", average_from_, 0, 1);
    average.Number("every", trainer.average_every, 1, kMany);
  }

  void Reports(ConfigFields& measure) {
    measure.Number("every", run_.measure_every, 1, kMany);
    measure.Number("patience", run_.patience, 0, kMany);
    measure.Choice("by", kMeasures, run_.by_bleu);
    Part("checkpoint").Number("every", run_.checkpoint_every, 1, kMany);
    Part("log").Number("every", run_.log_every, 1, kMany);
  }

  ConfigFields& Part(const char* name) {
    ConfigFields& part = parts_.emplace_back(file_, name);
    root_.Part(name, part);
    return part;
  }

  RunConfig& run_;
  const std::string& file_;
  ConfigFields root_;
  std::deque<ConfigFields> parts_;  // a deque, so that they do not move
  bool joined_given_ = false;
  double average_from_ = 0;
};

// The options that follow from the given ones.
void Complete(RunConfig& run, const RunFields& fields) {
  if (!fields.joined_given() && HasLabels(run.task)) run.batch.joined = {1};
  for (CorpusFiles& corpus : run.corpora) {
    if (HasTextsAlone(run.task) && corpus.options.column == 0) corpus.options.column = 1;
  }
  if (run.preset.empty() && run.task != Task::kLanguage) run.preset = run.task == Task::kTranslate ? "small" : "mini";
  run.batch.seed = run.trainer.seed = run.seed;
  run.trainer.schedule.steps = run.steps;
  if (fields.average_from() > 0) {
    run.trainer.average_from =
        std::max<uint64_t>(1, static_cast<uint64_t>(fields.average_from() * static_cast<double>(run.steps)));
  }
}

}  // namespace

std::vector<ConfigField> RunConfigFields(DataIn data) {
  RunConfig run;
  std::vector<ConfigField> fields;
  RunFields(run, "", data).root().List(fields);
  return fields;
}

Result<RunConfig> ParseRunConfig(std::string_view text, const std::string& file, DataIn data) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, file, kLargestConfig));
  RunConfig run;
  const RunFields fields(run, file, data);
  const ConfigFields& root = fields.root();
  QKV_CHECK(root.Read(json.root()));
  if (run.trainer.precision == Precision::kBf16 && !HasBf16()) {
    return root.Wrong("precision", "can be bf16 on Linux with a processor that has AMX, and is not here");
  }
  Complete(run, fields);
  if (data == DataIn::kFiles) {
    QKV_CHECK(CheckTask(run, root));
    QKV_CHECK(CheckFiles(run, root));
  }
  QKV_CHECK(CheckPreset(run, root));
  return run;
}

}  // namespace qkv
