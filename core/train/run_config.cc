#include "core/train/run_config.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "core/base/json.h"
#include "core/models/rnn_config.h"

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

std::string Print(const Json& json) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  json.Accept(writer);
  return buffer.GetString();
}

struct Preset {
  std::string_view name;
  size_t encoder_layers, decoder_layers, d, heads, ffn;
  double dropout;
};
constexpr Preset kPresets[] = {
    {"tiny", 6, 2, 256, 8, 1536, 0.1},  // Bergamot's tiny students have this shape, with another decoder
    {"small", 4, 2, 256, 8, 1024, 0.1},
    {"base", 6, 6, 512, 8, 2048, 0.1},  // Vaswani et al. 2017, table 3
};

// Recurrent encoder-decoders of 256 units, their other choices as in the papers.
struct RnnPreset {
  std::string_view name;
  const char *variant, *cell;
  size_t layers;
  double dropout;
};
constexpr RnnPreset kRnnPresets[] = {
    {"rnn-plain", "plain", "lstm", 2, 0.2},
    {"rnn-bahdanau", "bahdanau", "gru", 1, 0.2},
    {"rnn-textbook", "textbook", "gru", 2, 0.2},
    {"rnn-luong", "luong", "lstm", 2, 0.2},
};

template <class One, size_t n>
const One* Find(const One (&presets)[n], std::string_view name) {
  const auto found = std::find_if(std::begin(presets), std::end(presets), [&](const One& p) { return p.name == name; });
  return found != std::end(presets) ? found : nullptr;
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
    root.Other("corpora", [&](const Json& value) { return ReadCorpora(value, root, file, run.corpora); });
  }
  root.Text("preset", run.preset);
  root.Number("steps", run.steps, 1, kMany);
  root.Number("seed", run.seed, 0, kMany);
  root.Other("model", [&](const Json& value) -> Result<void> {
    if (!value.IsObject()) return root.Wrong("model", "must be an object of config.json's fields");
    run.model = Print(value);
    return {};
  });
  root.Part("batch", batch);
  batch.Number("tokens", run.batch.tokens, 1, 1 << 24);
  batch.Number("longest", run.batch.longest, 2, 1 << 14);
  batch.Number("window_bytes", run.batch.window_bytes, 1 << 10, kMany);
  batch.Number("accumulate", run.accumulate, 1, 1 << 16);
  batch.Other("joined", [&](const Json& value) { return ReadOdds(value, batch, run.batch.joined); });
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

  if (data == DataIn::kFiles) QKV_CHECK(CheckFiles(run, root));
  if (Find(kPresets, run.preset) == nullptr && Find(kRnnPresets, run.preset) == nullptr) {
    std::string all;
    for (const Preset& each : kPresets) all += std::string(each.name) + ", ";
    for (const RnnPreset& each : kRnnPresets) all += std::string(each.name) + ", ";
    return root.Wrong("preset", "must be one of " + all.substr(0, all.size() - 2));
  }
  run.batch.seed = run.trainer.seed = run.seed;
  run.trainer.schedule.steps = run.steps;
  if (average_from > 0) {
    run.trainer.average_from =
        std::max<uint64_t>(1, static_cast<uint64_t>(average_from * static_cast<double>(run.steps)));
  }
  return run;
}

namespace {

// A config.json in the making.
class ConfigJson {
 public:
  template <class T>
  void Set(const char* name, T value) {
    if constexpr (std::is_same_v<T, size_t>) {
      json_.AddMember(rapidjson::StringRef(name), static_cast<uint64_t>(value), json_.GetAllocator());
    } else if constexpr (std::is_same_v<T, const char*>) {
      json_.AddMember(rapidjson::StringRef(name), rapidjson::StringRef(value), json_.GetAllocator());
    } else {
      json_.AddMember(rapidjson::StringRef(name), value, json_.GetAllocator());
    }
  }
  void SetArchitecture(const char* name) {
    Json architectures(rapidjson::kArrayType);
    architectures.PushBack(rapidjson::StringRef(name), json_.GetAllocator());
    json_.AddMember("architectures", architectures, json_.GetAllocator());
  }
  // Values of `text`, an object, in place of those that are there.
  Result<void> Change(const std::string& text) {
    rapidjson::Document changes;
    changes.Parse(text.c_str(), text.size());
    for (auto& change : changes.GetObject()) {
      const auto member = json_.FindMember(change.name);
      if (member == json_.MemberEnd()) {
        return Error{ErrorCode::kInvalidFile, "is not a field of the config.json that a preset makes",
                     std::string("model.") + change.name.GetString()};
      }
      member->value.CopyFrom(change.value, json_.GetAllocator());
    }
    return {};
  }
  std::string Text() const { return Print(json_); }

 private:
  rapidjson::Document json_{rapidjson::kObjectType};
};

void SetTransformer(ConfigJson& json, const Preset& preset) {
  json.SetArchitecture("MarianMTModel");
  json.Set("model_type", "marian");
  json.Set("d_model", preset.d);
  json.Set("encoder_layers", preset.encoder_layers);
  json.Set("decoder_layers", preset.decoder_layers);
  json.Set("encoder_attention_heads", preset.heads);
  json.Set("decoder_attention_heads", preset.heads);
  json.Set("encoder_ffn_dim", preset.ffn);
  json.Set("decoder_ffn_dim", preset.ffn);
  json.Set("activation_function", "relu");
  json.Set("scale_embedding", true);
  json.Set("static_position_embeddings", true);
  json.Set("normalize_before", false);
  json.Set("normalize_embedding", false);
  json.Set("add_final_layer_norm", false);
  json.Set("is_encoder_decoder", true);
  for (const char* name : {"dropout", "attention_dropout", "activation_dropout"}) json.Set(name, preset.dropout);
}

// core/models/rnn_config.h
void SetRecurrent(ConfigJson& json, const RnnPreset& preset) {
  const std::string_view variant = preset.variant;
  json.Set("model_type", kRnnModelType.data());
  json.Set("variant", preset.variant);
  json.Set("cell", preset.cell);
  json.Set("d_model", size_t{256});
  json.Set("d_embedding", size_t{256});
  json.Set("scale_embedding", true);
  json.Set("encoder_layers", preset.layers);
  json.Set("decoder_layers", preset.layers);
  json.Set("bidirectional", variant == "bahdanau");
  json.Set("reverse_source", false);
  json.Set("self_attention_heads", size_t{0});
  json.Set("dropout", preset.dropout);
  if (variant == "plain") return json.Set("context", "every");
  json.Set("score", variant == "luong" ? "general" : "additive");
  json.Set("window", "global");
  json.Set("half_width", 10);
  json.Set(variant == "luong" ? "input_feeding" : "output_context", false);
}

}  // namespace

Result<std::string> ModelConfigOf(const RunConfig& run, const SubwordRows& rows) {
  ConfigJson json;
  if (const Preset* preset = Find(kPresets, run.preset)) SetTransformer(json, *preset);
  if (const RnnPreset* preset = Find(kRnnPresets, run.preset)) SetRecurrent(json, *preset);
  json.Set("vocab_size", rows.size());
  json.Set("share_encoder_decoder_embeddings", true);
  json.Set("tie_word_embeddings", true);
  json.Set("max_position_embeddings", size_t{512});
  for (const char* name : {"pad_token_id", "decoder_start_token_id"}) json.Set(name, rows.start());
  for (const char* name : {"eos_token_id", "bos_token_id", "forced_eos_token_id"}) json.Set(name, rows.end());
  QKV_CHECK(json.Change(run.model));
  return json.Text();
}

std::string GenerationConfigOf(const SequenceConfig& model) {
  const std::string start = std::to_string(model.start);
  return "{\n  \"decoder_start_token_id\": " + start + ",\n  \"pad_token_id\": " + start +
         ",\n  \"eos_token_id\": " + std::to_string(model.end) + ",\n  \"bad_words_ids\": [[" + start +
         "]],\n  \"num_beams\": 4,\n  \"max_length\": " + std::to_string(model.max_positions) + "\n}\n";
}

}  // namespace qkv
