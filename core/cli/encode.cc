// qkv encode, qkv fill-mask: read lines of text, and write the encoder's results for each as a line of JSON.
#include <unistd.h>

#include <cmath>

#include "core/cli/intervene.h"
#include "core/cli/json_writer.h"
#include "core/cli/lines.h"
#include "core/cli/one_sided.h"
#include "core/encode/encode_job.h"
#include "core/encode/predictions.h"
#include "core/text/utf.h"

namespace qkv::cli {
namespace {

using Head = EncoderConfig::Head;

struct EncodeFlags {
  AnyCommon model;
  bool vectors = false;
  size_t count = 5;
  InterventionsFile interventions;
};

// Writes {label: score} for a row of logits.
void WriteScores(Writer& json, const EncoderConfig& config, const float* logits, EncoderConfig::Choice choice) {
  const std::vector<float> scores = LabelScores(logits, config.labels.size(), choice);
  json.StartObject();
  for (size_t i = 0; i < scores.size(); ++i) {
    json.Key(config.labels[i].c_str());
    json.Double(scores[i]);
  }
  json.EndObject();
}

std::string Describe(const EncoderModel& model, const Encoded& result, bool vectors) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  const EncoderConfig& config = model.config();
  json.StartObject();
  // The pieces and their spans in bytes.
  Array(json, "pieces", result.encoding.ids, [&](int32_t id) { String(json, model.PieceText(id)); });
  Array(json, "ids", result.encoding.ids, [&](int32_t id) { json.Int(id); });
  Array(json, "begin", result.encoding.begin, [&](size_t at) { json.Uint64(at); });
  Array(json, "end", result.encoding.end, [&](size_t at) { json.Uint64(at); });
  // What the head reads.
  if (config.head == Head::kSequence && result.logits.rows() > 0) {
    json.Key("labels");
    WriteScores(json, config, result.logits.data(), config.choice);
  }
  if (config.head == Head::kTokens) {
    Array(json, "tags", result.rows, [&](size_t row) {
      WriteScores(json, config, result.logits.row(static_cast<Eigen::Index>(row)).data(), EncoderConfig::Choice::kOne);
    });
  }
  // The last layer's rows, one for each piece.
  if (vectors) {
    json.Key("vectors");
    json.StartArray();
    for (const auto& row : result.hidden.rowwise()) {
      json.StartArray();
      for (const float number : row) json.Double(number);
      json.EndArray();
    }
    json.EndArray();
  }
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string Fill(const EncoderModel& model, const Encoded& result, size_t count) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartArray();
  for (Eigen::Index row = 0; row < result.logits.rows(); ++row) {
    json.StartArray();
    for (const Guess& guess :
         Guesses(result.logits.row(row).data(), static_cast<size_t>(result.logits.cols()), count)) {
      json.StartObject();
      json.Key("piece");
      String(json, model.PieceText(guess.id));
      json.Key("probability");
      json.Double(std::exp(guess.log_prob));
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndArray();
  return {buffer.GetString(), buffer.GetSize()};
}

template <class Print>
void ForEachLine(EncodeFlags& options, const EncoderModel& model, EncodeOptions encode, const Print& print) {
  options.interventions.Read(ChangeablePlaces::OfEncoder(model.config().layers, model.config().heads));
  encode.changes = options.interventions.changes();
  Arena arena;
  ThreadPool pool(options.model.common.threads);
  Context ctx{arena, pool};
  LineReader reader(STDIN_FILENO);
  constexpr size_t kLinesAtOnce = 64;
  size_t number = 0;
  for (auto lines = reader.Next(kLinesAtOnce); !lines.empty(); lines = reader.Next(kLinesAtOnce)) {
    // A batch of lines, each with one text or two.
    std::vector<EncodeInput> inputs;
    for (const std::string& line : lines) {
      const size_t tab = line.find('\t');
      inputs.push_back({ToValidUtf8(line.substr(0, tab))});
      if (tab != std::string::npos) inputs.back().second = ToValidUtf8(line.substr(tab + 1));
    }
    encode.first_sentence = number;
    EncodeJob job(model, inputs, encode);
    Finish(job, ctx);
    // Their results, in order.
    for (const Encoded& result : job.results()) {
      std::puts(print(result).c_str());
      ++number;
      if (result.encoding.truncated) WarnOfCut(number, model.config().longest(), "read");
    }
    FlushOrFail();
  }
}

constexpr const char* kLayouts = "config.json, model.safetensors or pytorch_model.bin, tokenizer.json";

void Encode(EncodeFlags& options) {
  const auto model = LoadKindOrFail<EncoderModel>(options.model, "encoders: BERT, DistilBERT, RoBERTa");
  ForEachLine(options, *model, {.hidden = options.vectors, .head = model->config().head != Head::kMasked},
              [&](const Encoded& result) { return Describe(*model, result, options.vectors); });
}

void FillMask(EncodeFlags& options) {
  const auto model = LoadKindOrFail<EncoderModel>(options.model, "encoders: BERT, DistilBERT, RoBERTa");
  if (model->config().head != Head::kMasked) Fail(options.model.common.model + ": the model has no masked-word head");
  ForEachLine(options, *model, {.head = true},
              [&](const Encoded& result) { return Fill(*model, result, options.count); });
}

}  // namespace

void AddEncode(CLI::App& app) {
  auto options = std::make_shared<EncodeFlags>();
  CLI::App* command = app.add_subcommand(
      "encode",
      "What an encoder makes of each line, as JSON: pieces, and labels or tags by its head; a tab parts two texts");
  AddAnyModel(*command, options->model, kLayouts);
  command->add_flag("--vectors", options->vectors, "each piece's vector of the last layer too");
  options->interventions.AddTo(*command);
  AddThreads(*command, options->model.common);
  command->callback([options] { Encode(*options); });
}

void AddFillMask(CLI::App& app) {
  auto options = std::make_shared<EncodeFlags>();
  CLI::App* command = app.add_subcommand(
      "fill-mask", "The likeliest pieces for each [MASK] or <mask> of a line, as JSON: a list for each of them");
  AddAnyModel(*command, options->model, kLayouts);
  command->add_option("--count", options->count, "how many")->check(CLI::Range(1, 1000))->capture_default_str();
  options->interventions.AddTo(*command);
  AddThreads(*command, options->model.common);
  command->callback([options] { FillMask(*options); });
}

}  // namespace qkv::cli
