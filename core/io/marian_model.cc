#include "core/io/marian_model.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/models/config_fields.h"

namespace qkv {
namespace {

constexpr size_t kPositions = 512;  // a limit on sentences; sinusoids have none
constexpr const char* kTrainedPositions = "Wpos";
constexpr size_t kWidest = 1 << 13;  // the width of rows; so the table of positions takes at most 16 MiB

struct Name {
  std::string_view ours, marians;
};
// Names of a layer's tensors, after the layer's number.
constexpr Name kLayerNames[] = {
    {"self_attn.q_proj.weight", "self_Wq"},
    {"self_attn.q_proj.bias", "self_bq"},
    {"self_attn.k_proj.weight", "self_Wk"},
    {"self_attn.k_proj.bias", "self_bk"},
    {"self_attn.v_proj.weight", "self_Wv"},
    {"self_attn.v_proj.bias", "self_bv"},
    {"self_attn.out_proj.weight", "self_Wo"},
    {"self_attn.out_proj.bias", "self_bo"},
    {"encoder_attn.q_proj.weight", "context_Wq"},
    {"encoder_attn.q_proj.bias", "context_bq"},
    {"encoder_attn.k_proj.weight", "context_Wk"},
    {"encoder_attn.k_proj.bias", "context_bk"},
    {"encoder_attn.v_proj.weight", "context_Wv"},
    {"encoder_attn.v_proj.bias", "context_bv"},
    {"encoder_attn.out_proj.weight", "context_Wo"},
    {"encoder_attn.out_proj.bias", "context_bo"},
    {"ssru.candidate.weight", "rnn_W"},
    {"ssru.forget.weight", "rnn_Wf"},
    {"ssru.forget.bias", "rnn_bf"},
    {"fc1.weight", "ffn_W1"},
    {"fc1.bias", "ffn_b1"},
    {"fc2.weight", "ffn_W2"},
    {"fc2.bias", "ffn_b2"},
};
constexpr Name kNames[] = {
    {"model.shared.weight", "Wemb"},
    {"model.encoder.embed_tokens.weight", "encoder_Wemb"},
    {"model.decoder.embed_tokens.weight", "decoder_Wemb"},
    {"model.embed_positions.weight", kTrainedPositions},
    {"lm_head.weight", "decoder_ff_logit_out_W"},
    {"final_logits_bias", "decoder_ff_logit_out_b"},
    {"model.encoder.layernorm_embedding.weight", "encoder_emb_ln_scale_pre"},
    {"model.encoder.layernorm_embedding.bias", "encoder_emb_ln_bias_pre"},
    {"model.decoder.layernorm_embedding.weight", "decoder_emb_ln_scale_pre"},
    {"model.decoder.layernorm_embedding.bias", "decoder_emb_ln_bias_pre"},
    {"model.encoder.layer_norm.weight", "encoder_top_ln_scale"},
    {"model.encoder.layer_norm.bias", "encoder_top_ln_bias"},
    {"model.decoder.layer_norm.weight", "decoder_top_ln_scale"},
    {"model.decoder.layer_norm.bias", "decoder_top_ln_bias"},
};

template <size_t n>
std::string_view Find(const Name (&names)[n], std::string_view ours) {
  for (const Name& name : names) {
    if (name.ours == ours) return name.marians;
  }
  return {};
}

// The name of a layer's norm. `part` is the part of the layer that the norm belongs to; the config says whether it is
// before or after that part.
std::string NormName(std::string_view part, bool decodes, const TransformerConfig& config) {
  const size_t dot = part.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view norm = part.substr(0, dot);
  const bool ssru = decodes && config.past == Past::kSsru;
  std::string name;
  if (norm == "self_attn_layer_norm") {
    name = !ssru ? "self_Wo" : config.pre_norm ? "rnn" : "rnn_ffn";
  } else if (norm == "encoder_attn_layer_norm") {
    name = "context_Wo";
  } else if (norm == "final_layer_norm") {
    name = "ffn_ffn";
  } else {
    return {};
  }
  name += part.substr(dot + 1) == "weight" ? "_ln_scale" : "_ln_bias";
  return config.pre_norm ? name + "_pre" : name;
}

class Tensors {
 public:
  Tensors(const std::vector<TensorEntry>& entries, const std::string& file) : entries_(entries), file_(file) {}

  const TensorEntry* Find(std::string_view name) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const TensorEntry& entry) { return entry.name == name; });
    return found != entries_.end() ? &*found : nullptr;
  }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // A size of a matrix: its inputs (axis 0) or its outputs (axis 1); of a table its pieces or its width.
  Result<size_t> Size(std::string_view name, size_t axis, size_t most) const {
    const TensorEntry* const entry = Find(name);
    const auto where = [&] { return file_ + ", " + std::string(name); };
    if (entry == nullptr) return Error{ErrorCode::kInvalidFile, "this tensor is missing", where()};
    if (entry->shape.size() != 2) return Error{ErrorCode::kInvalidFile, "it is not a matrix", where()};
    const bool swapped = entry->dtype == "I8" && !name.ends_with("Wemb");
    const uint64_t size = entry->shape[swapped ? 1 - axis : axis];
    if (size <= most) return static_cast<size_t>(size);
    return Error{ErrorCode::kLimitExceeded,
                 "it has a size of " + std::to_string(size) + "; " + std::to_string(most) + " are possible", where()};
  }
  // The number of layers, counted by the tensors named side_l1_part, side_l2_part and so on.
  size_t Layers(const std::string& side, const char* part) const {
    size_t layers = 0;
    while (Has(side + "_l" + std::to_string(layers + 1) + part)) ++layers;
    return layers;
  }

 private:
  const std::vector<TensorEntry>& entries_;
  const std::string& file_;
};

Result<void> ReadTables(const Tensors& tensors, TransformerConfig& config) {
  config.shared_embeddings = !tensors.Has("encoder_Wemb");
  config.tied_output = !tensors.Has("decoder_ff_logit_out_W");
  const char* const source = config.shared_embeddings ? "Wemb" : "encoder_Wemb";
  const auto most = static_cast<size_t>(kLargestVocabulary);
  QKV_TRY(config.d_model, tensors.Size(source, 1, kWidest));
  QKV_TRY(config.source_vocabulary, tensors.Size(source, 0, most));
  QKV_TRY(config.vocabulary, tensors.Size(config.shared_embeddings ? "Wemb" : "decoder_Wemb", 0, most));
  config.pad = config.start = static_cast<int32_t>(config.vocabulary++);
  if (config.shared_embeddings) config.source_vocabulary = config.vocabulary;
  return {};
}

}  // namespace

Result<TransformerConfig> ReadMarianShape(const std::vector<TensorEntry>& entries, const std::string& file) {
  const Tensors tensors(entries, file);
  TransformerConfig config;
  QKV_CHECK(ReadTables(tensors, config));
  if (config.d_model < 4 || config.d_model % 2 != 0) {
    return Error{ErrorCode::kUnsupported, "a width of " + std::to_string(config.d_model) + " has no sinusoids", file};
  }
  // Layers are counted by their tensors.
  config.encoder_layers = tensors.Layers("encoder", "_self_Wq");
  config.decoder_layers = tensors.Layers("decoder", "_context_Wq");
  const auto most = static_cast<size_t>(kMostLayers);
  if (config.encoder_layers == 0 || config.decoder_layers == 0 || config.encoder_layers > most ||
      config.decoder_layers > most) {
    return Error{ErrorCode::kUnsupported, "its tensors are not those of a Transformer with encoder and decoder", file};
  }
  QKV_TRY(config.encoder_ffn, tensors.Size("encoder_l1_ffn_W1", 1, static_cast<size_t>(kLargestWidth)));
  QKV_TRY(config.decoder_ffn, tensors.Size("decoder_l1_ffn_W1", 1, static_cast<size_t>(kLargestWidth)));
  // Options that tensors show by their presence, then Marian's constants.
  config.past = tensors.Has("decoder_l1_rnn_W") ? Past::kSsru : Past::kSelfAttention;
  config.pre_norm = tensors.Has("encoder_l1_self_Wo_ln_scale_pre");
  config.norm_embedding = tensors.Has("encoder_emb_ln_scale_pre");
  config.norm_last = tensors.Has("encoder_top_ln_scale");
  config.frequencies = Frequencies::kMarian;
  config.epsilon = 1e-6f;
  config.trained_positions = tensors.Has(kTrainedPositions);
  config.scale_embedding = !config.trained_positions;  // as Marian has it
  config.max_positions = kPositions;
  if (config.trained_positions) {
    QKV_TRY(config.max_positions, tensors.Size(kTrainedPositions, 0, static_cast<size_t>(kMostPositions)));
    if (config.max_positions < static_cast<size_t>(kFewestPositions)) {
      return Error{ErrorCode::kUnsupported, "it has too few positions for any text", file};
    }
  }
  config.encoder_heads = config.decoder_heads = 1;
  SetAttentionShapes(config);
  return config;
}

std::string MarianName(const std::string& slot, const TransformerConfig& config) {
  for (const bool decodes : {false, true}) {
    const std::string_view prefix = decodes ? "model.decoder.layers." : "model.encoder.layers.";
    if (!slot.starts_with(prefix)) continue;
    const size_t dot = slot.find('.', prefix.size());
    size_t layer = 0;
    std::from_chars(slot.data() + prefix.size(), slot.data() + dot, layer);
    const std::string_view part = std::string_view(slot).substr(dot + 1);
    std::string name(Find(kLayerNames, part));
    if (name.empty()) name = NormName(part, decodes, config);
    return (decodes ? "decoder_l" : "encoder_l") + std::to_string(layer + 1) + "_" + name;
  }
  return std::string(Find(kNames, slot));
}

WeightSlots MarianSlots(WeightSlots slots, const std::vector<TensorEntry>& entries, const TransformerConfig& config) {
  const std::string none;
  const Tensors tensors(entries, none);
  for (WeightSlot& slot : slots.slots) {
    slot.names = {MarianName(slot.names.front(), config)};
    const std::string& name = slot.names.front();
    const bool table = name.ends_with("Wemb");
    const TensorEntry* const entry = tensors.Find(name);
    slot.transposed = std::holds_alternative<Weight*>(slot.to) && !table && name != kTrainedPositions &&
                      entry != nullptr && entry->dtype != "I8";
    const bool pieces = slot.outputs == config.vocabulary && name != "encoder_Wemb";
    if (pieces && (table || name.starts_with("decoder_ff_logit_out"))) slot.absent = 1;
  }
  slots.ignored = {};
  slots.described_by = "its other tensors";
  return slots;
}

}  // namespace qkv
