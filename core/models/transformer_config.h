// What a MarianMT config.json says of the model, checked: a switch that this engine does not have is refused with a
// sentence, never ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/error.h"
#include "core/kernels/activation.h"

namespace qkv {

struct TransformerConfig {
  size_t d_model = 0;
  size_t encoder_layers = 0, decoder_layers = 0;
  size_t encoder_heads = 0, decoder_heads = 0;
  size_t encoder_ffn = 0, decoder_ffn = 0;
  size_t vocabulary = 0;     // rows of the (shared) embedding
  size_t max_positions = 0;  // positions that exist, on both sides
  Activation activation = Activation::kRelu;
  bool scale_embedding = false;   // embeddings times sqrt(d_model)
  bool shared_embeddings = true;  // one table for source and target
  bool tied_output = true;        // logits = x E' + b with the target's table
  int32_t pad = 0, end = 0, start = 0;
  float dropout = 0, attention_dropout = 0, activation_dropout = 0;  // while training
};

// `json` is the content of config.json.
Result<TransformerConfig> ParseTransformerConfig(std::string_view json);

}  // namespace qkv
