#include "core/models/rnn_config.h"

#include <algorithm>
#include <span>
#include <string>

#include "core/base/json.h"
#include "core/models/limits.h"

namespace qkv {
namespace {

Result<size_t> Choice(const JsonObject& json, const char* field, std::span<const std::string_view> names,
                      std::string_view fallback) {
  QKV_TRY(const std::string_view name, json.String(field, fallback));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<size_t>(found - names.begin());
  std::string all;
  for (const std::string_view each : names) all += (all.empty() ? "" : ", ") + std::string(each);
  return json.Unsupported(field, "\"" + std::string(name) + "\" is not one of " + all);
}

// A field that this variant would not listen to.
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
  QKV_CHECK(ReadSize(json, "vocab_size", kLargestVocabulary, config.vocabulary));
  QKV_CHECK(ReadSize(json, "d_model", kLargestWidth, config.d_model));
  QKV_CHECK(ReadSize(json, "encoder_layers", kMostLayers, config.encoder_layers));
  QKV_CHECK(ReadSize(json, "decoder_layers", kMostLayers, config.decoder_layers));
  QKV_CHECK(ReadSize(json, "max_position_embeddings", kMostPositions, config.max_positions));
  QKV_TRY(const int64_t embedding, json.Integer("d_embedding", 1, kLargestWidth, static_cast<int64_t>(config.d_model)));
  config.d_embedding = static_cast<size_t>(embedding);
  QKV_TRY(config.shared_embeddings, json.Bool("share_encoder_decoder_embeddings", true));
  QKV_TRY(config.tied_output, json.Bool("tie_word_embeddings", true));
  if (config.tied_output && config.d_embedding != config.d_model) {
    return json.Invalid("tie_word_embeddings", "the table is written by too only where d_embedding is d_model");
  }
  return {};
}

Result<void> ParseAttention(const JsonObject& json, RnnConfig& config) {
  QKV_CHECK(RefuseIf(!config.attends(), json, {"score", "window", "half_width"}, config));
  QKV_CHECK(RefuseIf(config.attends(), json, {"context"}, config));
  QKV_CHECK(RefuseIf(!config.attends_before(), json, {"output_context"}, config));
  QKV_CHECK(RefuseIf(config.variant != RnnVariant::kLuong, json, {"input_feeding"}, config));
  static constexpr std::string_view kContexts[] = {"first", "every"};
  QKV_TRY(const size_t context, Choice(json, "context", kContexts, "every"));
  config.context_every = context == 1;
  QKV_TRY(config.output_context, json.Bool("output_context", false));
  QKV_TRY(config.input_feeding, json.Bool("input_feeding", false));
  if (!config.attends()) return {};
  // In the order of StepScore, and another name for one.
  static constexpr std::string_view kScores[] = {"dot", "general", "additive", "location", "concat"};
  QKV_TRY(const size_t score, Choice(json, "score", kScores, config.attends_before() ? "additive" : "general"));
  config.score = score == 4 ? StepScore::kAdditive : static_cast<StepScore>(score);
  if (config.score == StepScore::kDot && config.bidirectional) {
    return json.Invalid("score",
                        "dot needs states of one size on both sides, and those of two directions are twice as "
                        "large; general does not");
  }
  QKV_TRY(const size_t window, Choice(json, "window", kWindowNames, "global"));
  config.window = static_cast<WindowKind>(window);
  constexpr double kLuongs = 10;
  QKV_TRY(const double half_width, json.Number("half_width", kLuongs));
  if (!(half_width >= 1 && half_width <= static_cast<double>(kMostPositions))) {
    return json.Invalid("half_width", "must be from 1 to " + std::to_string(kMostPositions));
  }
  config.half_width = config.window == WindowKind::kGlobal ? 0 : half_width;
  config.cross = {1, 1};
  return {};
}

}  // namespace

Result<RnnConfig> ParseRnnConfig(std::string_view text) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "config.json", kLargestConfig));
  RnnConfig config;
  QKV_TRY(const size_t variant, Choice(json, "variant", kVariantNames, ""));
  config.variant = static_cast<RnnVariant>(variant);
  static constexpr std::string_view kCells[] = {"gru", "lstm"};
  QKV_TRY(const size_t cell, Choice(json, "cell", kCells, "lstm"));
  config.cell = static_cast<CellKind>(cell);
  QKV_TRY(config.bidirectional, json.Bool("bidirectional", config.variant == RnnVariant::kBahdanau));
  QKV_TRY(config.reverse_source, json.Bool("reverse_source", false));
  if (config.reverse_source && config.bidirectional) {
    return json.Invalid("reverse_source", "two directions are read anyway where bidirectional is true");
  }
  QKV_CHECK(ParseShapes(json, config));
  QKV_CHECK(ReadTokens(json, config));
  QKV_CHECK(ParseAttention(json, config));
  QKV_TRY(const int64_t heads, json.Integer("self_attention_heads", 0, kLargestWidth, 0));
  if (heads != 0 && config.memory() % static_cast<size_t>(heads) != 0) {
    return json.Invalid("self_attention_heads", "must divide the states' " + std::to_string(config.memory()));
  }
  config.self_attention_heads = static_cast<size_t>(heads);
  if (heads != 0) config.encoder_self = {1, static_cast<size_t>(heads)};
  QKV_TRY(config.dropout, ReadRate(json, "dropout"));
  return config;
}

}  // namespace qkv
