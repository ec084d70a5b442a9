#include "core/models/transformer_config.h"

#include "core/base/budget.h"
#include "core/base/json.h"
#include "core/models/config_fields.h"

namespace qkv {
namespace {

constexpr size_t kLargestPositionTable = size_t{1} << 23;  // max_position_embeddings * d_model: 32 MiB

Result<void> RefuseUnknownSwitches(const JsonObject& json) {
  QKV_TRY(const std::string_view type, json.String("model_type", "marian"));
  if (type != "marian") {
    return json.Unsupported("model_type",
                            "\"" + std::string(type) + "\" is not a model this engine runs; \"marian\" is");
  }
  return CheckSwitches(json, {{"static_position_embeddings", true, "learned positions"},
                              {"is_encoder_decoder", true, "a model without encoder or decoder"}});
}

Result<void> ParseShapes(const JsonObject& json, TransformerConfig& config) {
  // Each size in its range.
  struct Field {
    const char* name;
    int64_t most;
    size_t* to;
  };
  const Field fields[] = {
      {"d_model", kLargestWidth, &config.d_model},
      {"encoder_layers", kMostLayers, &config.encoder_layers},
      {"decoder_layers", kMostLayers, &config.decoder_layers},
      {"encoder_attention_heads", kLargestWidth, &config.encoder_heads},
      {"decoder_attention_heads", kLargestWidth, &config.decoder_heads},
      {"encoder_ffn_dim", kLargestWidth, &config.encoder_ffn},
      {"decoder_ffn_dim", kLargestWidth, &config.decoder_ffn},
      {"vocab_size", kLargestVocabulary, &config.source_vocabulary},
  };
  for (const Field& field : fields) QKV_CHECK(ReadSize(json, field.name, field.most, *field.to));
  QKV_CHECK(ReadSize(json, "max_position_embeddings", kMostPositions, config.max_positions, kFewestPositions));
  // Sizes that must fit together.
  if (config.max_positions * config.d_model > kLargestPositionTable) {
    return Error{ErrorCode::kLimitExceeded, "times d_model it must be at most " + std::to_string(kLargestPositionTable),
                 json.file() + ", max_position_embeddings"};
  }
  for (const char* heads : {"encoder_attention_heads", "decoder_attention_heads"}) {
    if (config.d_model % static_cast<size_t>(*json.Integer(heads, 1, kLargestWidth)) != 0) {
      return json.Invalid(heads, "must divide d_model, " + std::to_string(config.d_model));
    }
  }
  return {};
}

// Parses the sizes of the embeddings and the rows of special pieces.
Result<void> ParseVocabularies(const JsonObject& json, TransformerConfig& config) {
  QKV_TRY(config.shared_embeddings, json.Bool("share_encoder_decoder_embeddings", true));
  QKV_TRY(config.tied_output, json.Bool("tie_word_embeddings", true));
  const auto source = static_cast<int64_t>(config.source_vocabulary);
  QKV_TRY(const int64_t target, json.Integer("decoder_vocab_size", 1, kLargestVocabulary, source));
  if (config.shared_embeddings && target != source) {
    return json.Invalid("decoder_vocab_size", "must equal vocab_size where embeddings are shared");
  }
  config.vocabulary = static_cast<size_t>(target);
  QKV_CHECK(ReadTokens(json, config));
  if (config.end >= source) return json.Invalid("eos_token_id", "must be a row of both vocabularies");
  return {};
}

// Parses where norms are: after each residual as in the paper, or before each part (https://arxiv.org/abs/2002.04745).
Result<void> ParseNorms(const JsonObject& json, TransformerConfig& config) {
  QKV_TRY(config.pre_norm, json.Bool("normalize_before", false));
  QKV_TRY(config.norm_embedding, json.Bool("normalize_embedding", false));
  QKV_TRY(config.norm_last, json.Bool("add_final_layer_norm", false));
  return {};
}

// Reads a field with several possible names; returns the index of its name. Left out, it is the first.
Result<size_t> ReadChoice(const JsonObject& json, const char* field, std::initializer_list<const char*> names) {
  QKV_TRY(const std::string_view name, json.String(field, *names.begin()));
  std::string all;
  for (size_t i = 0; i < names.size(); ++i) {
    if (name == names.begin()[i]) return i;
    all += std::string(i == 0 ? "" : ", ") + names.begin()[i];
  }
  return json.Unsupported(field, "\"" + std::string(name) + "\" is not one of " + all);
}

// Parses the fields that only Marian's own models need, not the converted ones.
Result<void> ParseMarian(const JsonObject& json, TransformerConfig& config) {
  QKV_TRY(const size_t past, ReadChoice(json, "decoder_past", {"self-attention", "ssru"}));
  QKV_TRY(const size_t frequencies, ReadChoice(json, "position_frequencies", {"paper", "marian", "none"}));
  QKV_TRY(const double epsilon, json.Number("layer_norm_eps", static_cast<double>(config.epsilon)));
  if (!(epsilon > 0 && epsilon < 1)) return json.Invalid("layer_norm_eps", "must be above 0 and below 1");
  config.frequencies = static_cast<Frequencies>(frequencies);
  if (config.frequencies == Frequencies::kMarian && config.d_model < 4) {
    return json.Invalid("d_model", "must be at least 4 with Marian's positions");
  }
  config.epsilon = static_cast<float>(epsilon);
  config.past = static_cast<Past>(past);
  return {};
}

}  // namespace

Result<void> TransformerConfig::CheckPositions() const {
  return CheckMemory(uint64_t{max_positions} * d_model * sizeof(float), kTooLarge, "config.json");
}

void SetAttentionShapes(TransformerConfig& config) {
  config.encoder_self = {config.encoder_layers, config.encoder_heads, config.d_model / config.encoder_heads};
  config.cross = {config.decoder_layers, config.decoder_heads, config.d_model / config.decoder_heads};
  config.decoder_self = config.cross;
  config.feed_forward = true;
  if (config.past != Past::kSsru) return;
  config.decoder_self = {config.decoder_layers, 1, 0};
  config.gates = config.d_model;
}

Result<TransformerConfig> ParseTransformerConfig(std::string_view text) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "config.json", kLargestConfig));
  QKV_CHECK(RefuseUnknownSwitches(json));
  TransformerConfig config;
  QKV_CHECK(ParseShapes(json, config));
  QKV_CHECK(ParseVocabularies(json, config));
  QKV_CHECK(ParseNorms(json, config));
  QKV_CHECK(ParseMarian(json, config));
  SetAttentionShapes(config);
  QKV_TRY(config.activation, ParseActivation(json, "activation_function", "relu"));
  QKV_TRY(config.scale_embedding, json.Bool("scale_embedding", false));
  QKV_TRY(config.scaled_attention, json.Bool("scale_attention", true));
  QKV_TRY(config.dropout, ReadRate(json, "dropout"));
  QKV_TRY(config.attention_dropout, ReadRate(json, "attention_dropout"));
  QKV_TRY(config.activation_dropout, ReadRate(json, "activation_dropout"));
  return config;
}

}  // namespace qkv
