#include "core/models/encoder_config.h"

#include "core/models/config_fields.h"

namespace qkv {
namespace {

using Head = EncoderConfig::Head;
using Layout = EncoderConfig::Layout;

constexpr int64_t kMostLabels = 1 << 16;

Result<Layout> ReadLayout(const JsonObject& json) {
  QKV_TRY(const std::string_view type, json.String("model_type", ""));
  if (type == "bert") return Layout::kBert;
  if (type == "distilbert") return Layout::kDistilBert;
  if (type == "roberta" || type == "xlm-roberta" || type == "camembert") return Layout::kRoberta;
  return json.Unsupported("model_type", "\"" + std::string(type) + "\" is not an encoder that this engine runs");
}

// Reads the head from names such as "BertForMaskedLM".
Result<Head> ReadHead(const JsonObject& json) {
  const Json* const list = json.Find("architectures");
  if (list == nullptr || !list->IsArray() || list->Empty() || !(*list)[0].IsString()) return Head::kNone;
  const std::string_view name((*list)[0].GetString(), (*list)[0].GetStringLength());
  struct Ending {
    std::string_view ending;
    Head head;
  };
  constexpr Ending kEndings[] = {{"ForMaskedLM", Head::kMasked},
                                 {"ForPreTraining", Head::kMasked},
                                 {"ForSequenceClassification", Head::kSequence},
                                 {"ForTokenClassification", Head::kTokens},
                                 {"ForQuestionAnswering", Head::kAnswer},
                                 {"Model", Head::kNone}};
  for (const Ending& each : kEndings) {
    if (name.ends_with(each.ending)) return each.head;
  }
  return json.Unsupported("architectures", "\"" + std::string(name) + "\" has a head that this engine does not have");
}

// Reads id2label: {"0": "...", ...}, or num_labels labels without names.
Result<std::vector<std::string>> ReadLabels(const JsonObject& json) {
  std::vector<std::string> labels;
  // Without names: their number.
  const Json* const names = json.Find("id2label");
  if (names == nullptr) {
    QKV_TRY(const int64_t count, json.Integer("num_labels", 1, kMostLabels, 2));
    for (int64_t i = 0; i < count; ++i) labels.push_back("LABEL_" + std::to_string(i));
    return labels;
  }
  if (!names->IsObject() || names->MemberCount() == 0 || names->MemberCount() > kMostLabels) {
    return json.Invalid("id2label", "must map numbers to names");
  }
  // The keys are the numbers 0, 1, ... as texts, in any order.
  labels.resize(names->MemberCount());
  for (const auto& member : names->GetObject()) {
    size_t id = 0;
    for (const char c : std::string_view(member.name.GetString(), member.name.GetStringLength())) {
      id = c >= '0' && c <= '9' && id < labels.size() ? id * 10 + static_cast<size_t>(c - '0') : labels.size();
    }
    if (id >= labels.size() || !member.value.IsString()) {
      return json.Invalid("id2label", "must map numbers to names");
    }
    labels[id].assign(member.value.GetString(), member.value.GetStringLength());
  }
  return labels;
}

Result<void> ReadShapes(const JsonObject& json, EncoderConfig& config) {
  const bool distil = config.layout == Layout::kDistilBert;
  QKV_CHECK(ReadSize(json, distil ? "dim" : "hidden_size", kLargestWidth, config.d_model));
  QKV_CHECK(ReadSize(json, distil ? "n_layers" : "num_hidden_layers", kMostLayers, config.layers));
  QKV_CHECK(ReadSize(json, distil ? "n_heads" : "num_attention_heads", kLargestWidth, config.heads));
  QKV_CHECK(ReadSize(json, distil ? "hidden_dim" : "intermediate_size", kLargestWidth, config.ffn));
  QKV_CHECK(ReadSize(json, "vocab_size", kLargestVocabulary, config.vocabulary));
  QKV_CHECK(ReadSize(json, "max_position_embeddings", kMostPositions, config.positions));
  if (!distil) QKV_CHECK(ReadSize(json, "type_vocab_size", 64, config.types));
  if (config.d_model % config.heads != 0) {
    return json.Invalid(distil ? "n_heads" : "num_attention_heads",
                        "must divide the width, " + std::to_string(config.d_model));
  }
  if (config.layout == Layout::kRoberta) {
    QKV_TRY(const int64_t pad, json.Integer("pad_token_id", 0, kMostPositions, 1));
    config.first_position = static_cast<size_t>(pad) + 1;
  }
  if (config.longest() < 8 || config.first_position > config.positions) {
    return json.Invalid("max_position_embeddings", "leaves no room for a text");
  }
  return {};
}

}  // namespace

Result<EncoderConfig> ParseEncoderConfig(std::string_view text) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "config.json", kLargestConfig));
  // Options that would change the result and are not supported.
  QKV_CHECK(CheckSwitches(json, {{"is_decoder", false, "an encoder that sees only what comes before"},
                                 {"add_cross_attention", false, "an encoder that attends to another"}}));
  QKV_TRY(const std::string_view kind, json.String("position_embedding_type", "absolute"));
  if (kind != "absolute")
    return json.Unsupported("position_embedding_type", "this engine supports absolute positions only");
  // Which encoder it is, its head and its sizes.
  EncoderConfig config;
  QKV_TRY(config.layout, ReadLayout(json));
  QKV_TRY(config.head, ReadHead(json));
  QKV_CHECK(ReadShapes(json, config));
  if (config.head == Head::kMasked) {
    QKV_CHECK(CheckSwitches(json, {{"tie_word_embeddings", true, "a masked-word head with a table of its own"}}));
  }
  // How it computes. DistilBERT has names of its own.
  const bool distil = config.layout == Layout::kDistilBert;
  QKV_TRY(config.activation, ParseActivation(json, distil ? "activation" : "hidden_act", "gelu"));
  QKV_TRY(const double epsilon, json.Number("layer_norm_eps", 1e-12));
  if (epsilon <= 0 || epsilon > 1) return json.Invalid("layer_norm_eps", "must be above 0 and at most 1");
  config.epsilon = static_cast<float>(epsilon);
  QKV_TRY(config.dropout, ReadRate(json, distil ? "dropout" : "hidden_dropout_prob"));
  QKV_TRY(config.attention_dropout, ReadRate(json, distil ? "attention_dropout" : "attention_probs_dropout_prob"));
  // What a classifier answers: one label, several, or a number.
  if (config.head == Head::kSequence || config.head == Head::kTokens) {
    QKV_TRY(config.labels, ReadLabels(json));
  }
  QKV_TRY(const std::string_view problem, json.String("problem_type", "single_label_classification"));
  if (problem == "multi_label_classification") config.choice = EncoderConfig::Choice::kSeveral;
  if (problem == "regression" || (config.head == Head::kSequence && config.labels.size() == 1)) {
    config.choice = EncoderConfig::Choice::kNumber;
  }
  return config;
}

}  // namespace qkv
