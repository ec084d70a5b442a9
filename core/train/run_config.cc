#include "core/train/run_config.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/base/json.h"
#include "core/kernels/gemm.h"
#include "core/train/config_json.h"
#include "core/train/one_sided_presets.h"
#include "core/train/sequence_presets.h"

namespace qkv {
namespace {

// One object of the file: each field has a reader, and a field without one is an error.
class Fields {
 public:
  Fields(const std::string& file, std::string path) : file_(file), path_(std::move(path)) {}

  void Text(const char* name, std::string& to) {
    readers_[name] = [this, name, &to](const Json& json) -> Result<void> {
      if (!json.IsString()) return Wrong(name, "must be text");
      to = json.GetString();
      return {};
    };
  }
  template <class T>
  void Number(const char* name, T& to, double least, double most) {
    Number(name, std::is_integral_v<T>, least, most, [&to](double x) { to = static_cast<T>(x); });
  }
  void Number(const char* name, bool whole, double least, double most, std::function<void(double)> take) {
    readers_[name] = [this, name, whole, least, most, take = std::move(take)](const Json& json) -> Result<void> {
      if (!json.IsNumber() || !(json.GetDouble() >= least && json.GetDouble() <= most) ||
          (whole && json.GetDouble() != std::floor(json.GetDouble()))) {
        return Wrong(name, std::string("must be a ") + (whole ? "whole " : "") + "number from " + Shown(least) +
                               " to " + Shown(most));
      }
      take(json.GetDouble());
      return {};
    };
  }
  template <size_t n>
  void Choice(const char* name, const std::string_view (&names)[n], const std::function<void(size_t)>& take) {
    readers_[name] = [this, name, &names, take](const Json& json) -> Result<void> {
      std::string all;
      for (size_t i = 0; i < n; ++i) {
        if (json.IsString() && names[i] == json.GetString()) {
          take(i);
          return {};
        }
        all += (i == 0 ? "" : ", ") + std::string(names[i]);
      }
      return Wrong(name, "must be one of " + all);
    };
  }
  void Other(const char* name, std::function<Result<void>(const Json&)> read) { readers_[name] = std::move(read); }
  void Part(const char* name, Fields& part) {
    readers_[name] = [&part](const Json& json) { return part.Read(json); };
  }

  Result<void> Read(const Json& json) const {
    if (!json.IsObject()) return Error{ErrorCode::kInvalidFile, "must be an object", file_ + ", " + path_};
    for (const auto& member : json.GetObject()) {
      const auto reader = readers_.find(member.name.GetString());
      if (reader == readers_.end()) {
        std::string known;
        for (const auto& [name, unused] : readers_) known += (known.empty() ? "" : ", ") + name;
        return Wrong(member.name.GetString(), "is not a field of this file; these are: " + known);
      }
      QKV_CHECK(reader->second(member.value));
    }
    return {};
  }
  Error Wrong(const std::string& name, std::string message) const {
    return {ErrorCode::kInvalidFile, std::move(message), file_ + ", " + (path_.empty() ? "" : path_ + ".") + name};
  }

 private:
  static std::string Shown(double x) {
    std::string text = std::to_string(x);
    if (text.find('.') != std::string::npos) {
      text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
    }
    return text;
  }

  const std::string& file_;
  std::string path_;
  std::map<std::string, std::function<Result<void>(const Json&)>> readers_;
};

constexpr double kMany = 1e15;
constexpr std::string_view kTasks[] = {"translate", "continue", "masked", "classify", "tag"};

Result<void> ReadCorpora(const Json& json, const Fields& fields, const std::string& file,
                         std::vector<CorpusFiles>& corpora) {
  if (!json.IsArray() || json.Empty()) return fields.Wrong("corpora", "must be a list of one corpus or more");
  for (const Json& one : json.GetArray()) {
    CorpusFiles corpus;
    std::string path;
    Fields of_one(file, "corpora");
    of_one.Text("path", path);
    of_one.Text("source", corpus.source);
    of_one.Text("target", corpus.target);
    of_one.Number("weight", corpus.options.weight, 0, 1e6);
    of_one.Number("held_out", corpus.options.held_out, 0, 1);
    of_one.Number("column", corpus.options.column, 1, 2);
    QKV_CHECK(of_one.Read(one));
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

Result<void> ReadOdds(const Json& json, const Fields& fields, std::vector<double>& odds) {
  odds.clear();
  if (json.IsArray()) {
    for (const Json& one : json.GetArray()) odds.push_back(one.IsNumber() ? one.GetDouble() : -1);
  }
  const bool good = !odds.empty() && odds.size() <= 16 && odds[0] > 0 &&
                    std::all_of(odds.begin(), odds.end(), [](double x) { return x >= 0 && x <= 1e6; });
  if (good) return {};
  return fields.Wrong("joined", "must be a list of 1 to 16 odds, the first above 0");
}

Result<void> CheckFiles(const RunConfig& run, const Fields& fields) {
  if (run.out.empty()) return fields.Wrong("out", "is missing: the folder to write");
  if (run.vocabulary.empty()) return fields.Wrong("vocabulary", "is missing: a folder that `qkv vocab` wrote");
  if (run.corpora.empty()) return fields.Wrong("corpora", "is missing: what to learn from");
  return {};
}

Result<void> ReadLabels(const Json& json, const Fields& fields, std::vector<std::string>& labels) {
  if (json.IsArray()) {
    for (const Json& one : json.GetArray()) labels.emplace_back(one.IsString() ? one.GetString() : "");
  }
  const bool good = labels.size() >= 2 && labels.size() <= 1000 &&
                    std::all_of(labels.begin(), labels.end(), [](const std::string& label) { return !label.empty(); });
  if (good) return {};
  return fields.Wrong("labels", "must be a list of 2 to 1,000 names");
}

// What a task has of its own, and others have not.
Result<void> CheckTask(const RunConfig& run, const Fields& fields) {
  const bool labelled = HasLabels(run.task), texts = HasTextsAlone(run.task);
  if (labelled && run.labels.empty()) return fields.Wrong("labels", "is missing: what the second column says");
  for (const CorpusFiles& corpus : run.corpora) {
    if (!texts && corpus.options.column != 0) return fields.Wrong("corpora.column", "goes with texts alone");
    if (texts && !corpus.target.empty()) return fields.Wrong("corpora", "this task learns from one \"path\" each");
  }
  if (!labelled && !run.labels.empty()) return fields.Wrong("labels", "goes with the tasks classify and tag alone");
  if (labelled && run.batch.joined.size() > 1) {
    return fields.Wrong("batch.joined", "must be left out: a label is one text's");
  }
  if (run.by_bleu && run.task != Task::kTranslate)
    return fields.Wrong("measure.by", "can be bleu of translations only");
  return {};
}

Result<void> CheckPreset(const RunConfig& run, const Fields& fields) {
  const auto check = [&](const auto& names) -> Result<void> {
    if (std::find(names.begin(), names.end(), run.preset) != names.end()) return {};
    std::string all;
    for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    return fields.Wrong("preset", "must be one of " + all);
  };
  return run.task == Task::kTranslate ? check(SequencePresets()) : check(OneSidedPresets());
}

}  // namespace

Result<RunConfig> ParseRunConfig(std::string_view text, const std::string& file, DataIn data) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, file, kLargestConfig));
  RunConfig run;
  double average_from = 0;
  Fields root(file, ""), batch(file, "batch"), subwords(file, "subwords"), optimiser(file, "optimiser");
  Fields schedule(file, "schedule"), average(file, "average"), measure(file, "measure"), checkpoint(file, "checkpoint");
  Fields log(file, "log");
  if (data == DataIn::kFiles) {
    root.Text("out", run.out);
    root.Text("vocabulary", run.vocabulary);
    root.Text("from", run.from);
    root.Text("dev", run.dev);
    root.Choice("task", kTasks, [&](size_t i) { run.task = static_cast<Task>(i); });
    root.Other("labels", [&](const Json& value) { return ReadLabels(value, root, run.labels); });
    root.Other("corpora", [&](const Json& value) { return ReadCorpora(value, root, file, run.corpora); });
  }
  root.Text("preset", run.preset);
  root.Number("steps", run.steps, 1, kMany);
  root.Number("seed", run.seed, 0, kMany);
  static constexpr std::string_view kPrecisions[] = {"float", "bf16"};
  root.Choice("precision", kPrecisions, [&](size_t i) { run.trainer.precision = static_cast<Precision>(i); });
  root.Other("model", [&](const Json& value) -> Result<void> {
    if (!value.IsObject()) return root.Wrong("model", "must be an object of config.json's fields");
    run.model = PrettyText(value);
    return {};
  });
  root.Part("batch", batch);
  batch.Number("tokens", run.batch.tokens, 1, 1 << 24);
  batch.Number("longest", run.batch.longest, 2, 1 << 14);
  batch.Number("window_bytes", run.batch.window_bytes, 1 << 10, kMany);
  batch.Number("accumulate", run.accumulate, 1, 1 << 16);
  bool joined_given = false;
  batch.Other("joined", [&](const Json& value) {
    joined_given = true;
    return ReadOdds(value, batch, run.batch.joined);
  });
  root.Part("subwords", subwords);
  subwords.Number("source", run.subwords.source, 0, 1);
  subwords.Number("target", run.subwords.target, 0, 1);
  root.Part("optimiser", optimiser);
  optimiser.Number("beta1", run.trainer.beta1, 0, 0.999999);
  optimiser.Number("beta2", run.trainer.beta2, 0, 0.999999);
  optimiser.Number("epsilon", run.trainer.epsilon, 0, 1);
  optimiser.Number("decay", run.trainer.decay, 0, 1);
  optimiser.Number("clip", run.trainer.clip, 0, 1e6);
  optimiser.Number("smoothing", run.trainer.smoothing, 0, 0.999);
  root.Part("schedule", schedule);
  schedule.Choice("kind", kScheduleNames, [&](size_t i) { run.trainer.schedule.kind = static_cast<ScheduleKind>(i); });
  schedule.Number("peak", run.trainer.schedule.peak, 0, 10);
  schedule.Number("warmup", run.trainer.schedule.warmup, 0, kMany);
  schedule.Number("floor", run.trainer.schedule.floor, 0, 1);
  root.Part("average", average);
  average.Number("from", average_from, 0, 1);
  average.Number("every", run.trainer.average_every, 1, kMany);
  root.Part("measure", measure);
  measure.Number("every", run.measure_every, 1, kMany);
  measure.Number("pairs", run.measure_pairs, 1, 1 << 20);
  measure.Number("patience", run.patience, 0, kMany);
  static constexpr std::string_view kMeasures[] = {"loss", "bleu"};
  measure.Choice("by", kMeasures, [&](size_t i) { run.by_bleu = i == 1; });
  root.Part("checkpoint", checkpoint);
  checkpoint.Number("every", run.checkpoint_every, 1, kMany);
  root.Part("log", log);
  log.Number("every", run.log_every, 1, kMany);
  QKV_CHECK(root.Read(json.root()));

  if (run.trainer.precision == Precision::kBf16 && !HasBf16()) {
    return root.Wrong("precision", "can be bf16 on Linux with a processor that has AMX, and is not here");
  }
  if (!joined_given && HasLabels(run.task)) run.batch.joined = {1};
  if (data == DataIn::kFiles) QKV_CHECK(CheckTask(run, root));
  for (CorpusFiles& corpus : run.corpora) {
    if (HasTextsAlone(run.task) && corpus.options.column == 0) corpus.options.column = 1;
  }
  if (data == DataIn::kFiles) QKV_CHECK(CheckFiles(run, root));
  if (run.preset.empty()) run.preset = run.task == Task::kTranslate ? "small" : "mini";
  QKV_CHECK(CheckPreset(run, root));
  run.batch.seed = run.trainer.seed = run.seed;
  run.trainer.schedule.steps = run.steps;
  if (average_from > 0) {
    run.trainer.average_from =
        std::max<uint64_t>(1, static_cast<uint64_t>(average_from * static_cast<double>(run.steps)));
  }
  return run;
}

}  // namespace qkv
