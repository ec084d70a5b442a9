// Any bytes as config.json, generation_config.json and vocab.json. An accepted file must satisfy what its reader
// promises.
#include <string_view>

#include "core/models/rnn_config.h"
#include "core/models/transformer_config.h"
#include "core/translate/generation_config.h"
#include "core/translate/piece_rows.h"

namespace {

constexpr std::string_view kModel =
    R"({"d_model":8,"encoder_layers":1,"decoder_layers":2,"vocab_size":20,"encoder_attention_heads":2,
        "decoder_attention_heads":4,"encoder_ffn_dim":16,"decoder_ffn_dim":16,"max_position_embeddings":64,
        "eos_token_id":0,"pad_token_id":19})";

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace qkv;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto config = ParseTransformerConfig(text)) {
    const TransformerConfig& c = config.value();
    Require(c.d_model % c.encoder_heads == 0 && c.d_model % c.decoder_heads == 0);
    Require(static_cast<size_t>(c.end) < c.vocabulary && static_cast<size_t>(c.start) < c.vocabulary);
  }
  if (const auto config = ParseRnnConfig(text)) {
    const RnnConfig& c = config.value();
    Require(static_cast<size_t>(c.end) < c.vocabulary && static_cast<size_t>(c.start) < c.vocabulary);
    Require(c.d_embedding > 0 && (c.self_attention_heads == 0 || c.memory() % c.self_attention_heads == 0));
    Require((c.half_width > 0) == (c.window != WindowKind::kGlobal) && (c.cross.layers == 1) == c.attends());
  }
  static const TransformerConfig model = ParseTransformerConfig(kModel).value();
  if (const auto generation = ParseGenerationConfig(text, model)) {
    const GenerationConfig& g = generation.value();
    Require(g.beam >= 1 && g.beam <= kLargestBeam && g.max_length <= model.max_positions);
    for (const int32_t id : g.banned) Require(id >= 0 && static_cast<size_t>(id) < model.vocabulary);
  }
  if (const auto rows = PieceRows::Parse(text, 20, 0)) Require(rows.value().Text(0) == "</s>");
  return 0;
}
