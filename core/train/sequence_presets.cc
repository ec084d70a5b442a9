#include "core/train/sequence_presets.h"

#include <algorithm>
#include <iterator>

#include "core/models/rnn_config.h"
#include "core/train/config_json.h"

namespace qkv {
namespace {

struct Preset {
  std::string_view name;
  size_t encoder_layers, decoder_layers, d, heads, ffn;
  double dropout;
  bool ssru = false;  // and the other options of Marian's own models, so that it can be exported as one
};
constexpr Preset kPresets[] = {
    {"tiny", 6, 2, 256, 8, 1536, 0.1},
    {"tiny-ssru", 6, 2, 256, 8, 1536, 0.1, true},  // Firefox's tiny models
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

void SetTransformer(ConfigJson& json, const Preset& preset) {
  // Fields that Hugging Face's MarianMT has.
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
  json.Set("scale_attention", true);
  json.Set("static_position_embeddings", true);
  json.Set("normalize_before", false);
  json.Set("normalize_embedding", false);
  json.Set("add_final_layer_norm", false);
  json.Set("is_encoder_decoder", true);
  // Fields of this engine.
  json.Set("decoder_past", preset.ssru ? "ssru" : "self-attention");
  json.Set("position_frequencies", preset.ssru ? "marian" : "paper");
  json.Set("layer_norm_eps", preset.ssru ? 1e-6 : 1e-5);
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
  if (variant == "luong") json.Set("selection", "soft");
}

}  // namespace

std::vector<std::string_view> SequencePresets() {
  std::vector<std::string_view> names;
  for (const Preset& each : kPresets) names.push_back(each.name);
  for (const RnnPreset& each : kRnnPresets) names.push_back(each.name);
  return names;
}

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
