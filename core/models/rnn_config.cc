#include "core/models/rnn_config.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "core/base/json.h"
#include "core/models/config_fields.h"

namespace qkv {
namespace {

// The number of a field's name among `names`.
Result<size_t> Choice(const JsonObject& json, const char* field, std::span<const std::string_view> names,
                      std::string_view fallback) {
  QKV_TRY(const std::string_view name, json.String(field, fallback));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  std::string all;
  for (const std::string_view each : names) all += (all.empty() ? "" : ", ") + std::string(each);
  return json.Unsupported(field, "\"" + std::string(name) + "\" is not one of " + all);
}

// Refuses a field that has no effect in this variant.
Result<void> RefuseIf(bool refuse, const JsonObject& json, std::initializer_list<const char*> fields,
                      const RnnConfig& config) {
  for (const char* field : fields) {
    if (refuse && json.Find(field) != nullptr) {
      return json.Invalid(field, "the variant " + std::string(kVariantNames[static_cast<size_t>(config.variant)]) +
                                     " has no such choice");
    }
  }
  return {};
}

Result<void> ParseShapes(const JsonObject& json, RnnConfig& config) {
  struct Field {
    const char* name;
    int64_t most;
    size_t* to;
  };
  const Field fields[] = {{"vocab_size", kLargestVocabulary, &config.vocabulary},
                          {"d_model", kLargestWidth, &config.d_model},
                          {"encoder_layers", kMostLayers, &config.encoder_layers},
                          {"decoder_layers", kMostLayers, &config.decoder_layers}};
  for (const Field& field : fields) QKV_CHECK(ReadSize(json, field.name, field.most, *field.to));
  QKV_CHECK(ReadSize(json, "max_position_embeddings", kMostPositions, config.max_positions, kFewestPositions));
  QKV_TRY(const int64_t embedding, json.Integer("d_embedding", 1, kLargestWidth, static_cast<int64_t>(config.d_model)));
  QKV_TRY(const int64_t heads, json.Integer("self_attention_heads", 0, kLargestWidth, 0));
  config.source_vocabulary = config.vocabulary;
  config.d_embedding = static_cast<size_t>(embedding);
  config.self_attention_heads = static_cast<size_t>(heads);
  return {};
}

// The names are in the order of the enum.
struct ChoiceField {
  const char* name;
  std::span<const std::string_view> names;
  size_t fallback;
  size_t* to;
};
Result<void> ParseChoices(const JsonObject& json, std::initializer_list<ChoiceField> fields) {
  for (const ChoiceField& field : fields) {
    QKV_TRY(*field.to, Choice(json, field.name, field.names, field.names[field.fallback]));
  }
  return {};
}

Result<void> ParseBools(const JsonObject& json, RnnConfig& config) {
  struct Field {
    const char* name;
    bool* to;
  };
  const Field fields[] = {{"bidirectional", &config.bidirectional},
                          {"reverse_source", &config.reverse_source},
                          {"output_context", &config.output_context},
                          {"input_feeding", &config.input_feeding},
                          {"share_encoder_decoder_embeddings", &config.shared_embeddings},
                          {"tie_word_embeddings", &config.tied_output},
                          {"scale_embedding", &config.scaled_embeddings}};
  for (const Field& field : fields) {
    QKV_TRY(*field.to, json.Bool(field.name, *field.to));
  }
  return {};
}

// Refuses choices that contradict each other.
Result<void> CheckChoices(const JsonObject& json, const RnnConfig& config) {
  // Choices that need another variant.
  QKV_CHECK(RefuseIf(!config.attends(), json, {"score", "window", "half_width"}, config));
  QKV_CHECK(RefuseIf(config.attends(), json, {"context"}, config));
  QKV_CHECK(RefuseIf(!config.attends_before(), json, {"output_context"}, config));
  QKV_CHECK(RefuseIf(config.variant != RnnVariant::kLuong, json, {"input_feeding", "selection"}, config));
  // Choices that do not go together.
  struct Rule {
    bool broken;
    const char *field, *message;
  };
  const size_t heads = config.self_attention_heads;
  const Rule rules[] = {
      {config.reverse_source && config.bidirectional, "reverse_source", "is for an encoder of one direction"},
      {config.tied_output && config.d_embedding != config.d_model, "tie_word_embeddings",
       "needs d_embedding to be d_model: input and output share one table"},
      {config.hard && (config.input_feeding || config.window != WindowKind::kGlobal), "selection",
       "\"hard\" is for a global window without input_feeding: each choice then has a reward of its own"},
      {heads != 0 && config.memory() % heads != 0, "self_attention_heads", "must divide the size of the states"},
      {config.attends() && config.score == StepScore::kDot && config.bidirectional, "score",
       "\"dot\" needs states of one size on both sides: not of two directions; \"general\" does not"},
  };
  for (const Rule& rule : rules) {
    if (rule.broken) return json.Invalid(rule.field, rule.message);
  }
  return {};
}

}  // namespace

Result<RnnConfig> ParseRnnConfig(std::string_view text) {
  static constexpr std::string_view kCells[] = {"gru", "lstm"}, kContexts[] = {"first", "every"};
  static constexpr std::string_view kScores[] = {"dot", "general", "additive", "location", "concat"};
  // The variant decides on the defaults of the other choices: Bahdanau's encoder has two directions and an additive
  // score.
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "config.json", kLargestConfig));
  RnnConfig config;
  QKV_TRY(const size_t variant, Choice(json, "variant", kVariantNames, ""));
  config.variant = static_cast<RnnVariant>(variant);
  config.bidirectional = config.variant == RnnVariant::kBahdanau;
  static constexpr std::string_view kSelections[] = {"soft", "hard"};
  // The choices by name. "concat" is Luong's name of the additive score.
  size_t cell = 0, context = 0, score = 0, selection = 0, window = 0;
  const auto usual = static_cast<size_t>(config.attends_before() ? StepScore::kAdditive : StepScore::kGeneral);
  QKV_CHECK(ParseChoices(json, {{"cell", kCells, 1, &cell},
                                {"context", kContexts, 1, &context},
                                {"score", kScores, usual, &score},
                                {"selection", kSelections, 0, &selection},
                                {"window", kWindowNames, 0, &window}}));
  config.cell = static_cast<CellKind>(cell);
  config.context_every = context == 1;
  config.score = score == std::size(kScores) - 1 ? StepScore::kAdditive : static_cast<StepScore>(score);
  config.hard = selection == 1;
  config.window = static_cast<WindowKind>(window);
  // Sizes, switches and special pieces; then whether all choices go together.
  QKV_CHECK(ParseShapes(json, config));
  QKV_CHECK(ParseBools(json, config));
  QKV_CHECK(ReadTokens(json, config));
  QKV_CHECK(CheckChoices(json, config));
  // D of local attention: 10 positions in Luong et al. 2015, section 4.1.
  constexpr double kLuongs = 10;
  QKV_TRY(const double half_width, json.Number("half_width", kLuongs));
  if (!(half_width >= 1 && half_width <= static_cast<double>(kMostPositions))) {
    return json.Invalid("half_width", "must be from 1 to " + std::to_string(kMostPositions));
  }
  if (config.window != WindowKind::kGlobal) config.half_width = half_width;
  // What a trace holds.
  if (config.attends()) config.cross = {1, 1};
  if (config.self_attention_heads != 0) config.encoder_self = {1, config.self_attention_heads};
  QKV_TRY(config.dropout, ReadRate(json, "dropout"));
  return config;
}

}  // namespace qkv
