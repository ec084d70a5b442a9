// A MarianMT config.json, checked. A switch that this engine does not support is refused with a message, never ignored.
// Four fields are this engine's own. Three are for models like those of Marian's own files: "decoder_past"
// ("self-attention", "ssru"), "position_frequencies" ("paper", "marian", or "none" for a model without positions) and
// "layer_norm_eps". "scale_attention": false leaves out the division by sqrt(d), to show its effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.h"
#include "core/kernels/activation.h"
#include "core/layers/positions.h"
#include "core/models/sequence_config.h"

namespace qkv {

// How a layer of the decoder reads the pieces before.
enum class Past { kSelfAttention, kSsru };

struct TransformerConfig : SequenceConfig {
  size_t encoder_heads = 0, decoder_heads = 0;
  size_t encoder_ffn = 0, decoder_ffn = 0;
  Activation activation = Activation::kRelu;
  Past past = Past::kSelfAttention;
  Frequencies frequencies = Frequencies::kPaper;                     // of the positions
  float epsilon = 1e-5f;                                             // of the norms
  bool scale_embedding = false;                                      // embeddings times sqrt(d_model)
  bool scaled_attention = true;                                      // q'k / sqrt(d), not q'k
  bool trained_positions = false;                                    // a table in place of sinusoids
  bool residual = true;                                              // x + y, not y alone, before a norm
  bool pre_norm = false;                                             // a norm before each part, not after its residual
  bool norm_embedding = false, norm_last = false;                    // after the embeddings; after the last layers
  bool shared_embeddings = true;                                     // one table for source and target
  bool tied_output = true;                                           // logits = x E' + b with the target's table
  float dropout = 0, attention_dropout = 0, activation_dropout = 0;  // while training

  // Checks that there is memory for the table of positions, which is computed.
  Result<void> CheckPositions() const;
};

// Sets the shapes of the attentions from the other fields. An SSRU has one map for each layer, without queries and
// keys.
void SetAttentionShapes(TransformerConfig& config);

// `json` is the content of config.json.
Result<TransformerConfig> ParseTransformerConfig(std::string_view json);

}  // namespace qkv
