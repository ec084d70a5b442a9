// What a MarianMT config.json says of the model, checked: a switch that this engine does not have is refused with a
// sentence, never ignored. Three fields are this engine's own, for models like those of Marian's own files:
// "decoder_past" ("self-attention", "ssru"), "position_frequencies" ("paper", "marian") and "layer_norm_eps".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.h"
#include "core/kernels/activation.h"
#include "core/layers/positions.h"
#include "core/models/sequence_config.h"

namespace qkv {

// What a layer of the decoder reads the pieces before by.
enum class Past { kSelfAttention, kSsru };

struct TransformerConfig : SequenceConfig {
  size_t encoder_heads = 0, decoder_heads = 0;
  size_t encoder_ffn = 0, decoder_ffn = 0;
  Activation activation = Activation::kRelu;
  Past past = Past::kSelfAttention;
  Frequencies frequencies = Frequencies::kPaper;                     // of the positions
  float epsilon = 1e-5f;                                             // of the norms
  bool scale_embedding = false;                                      // embeddings times sqrt(d_model)
  bool pre_norm = false;                                             // a norm before each part, not after its residual
  bool norm_embedding = false, norm_last = false;                    // after the embeddings; after the last layers
  bool shared_embeddings = true;                                     // one table for source and target
  bool tied_output = true;                                           // logits = x E' + b with the target's table
  float dropout = 0, attention_dropout = 0, activation_dropout = 0;  // while training

  // That there is memory for the table of positions, which no file has.
  Result<void> CheckPositions() const;
};

// The shapes of its attentions, of the other fields. An SSRU has one map a layer, which no queries and keys make.
void SetAttentionShapes(TransformerConfig& config);

// `json` is the content of config.json.
Result<TransformerConfig> ParseTransformerConfig(std::string_view json);

}  // namespace qkv
