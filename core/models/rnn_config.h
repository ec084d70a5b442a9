// config.json of a recurrent encoder-decoder, model_type "qkv-rnn": one class whose choices are named as in the papers.
#pragma once

#include <cmath>
#include <string_view>

#include "core/attention/window.h"
#include "core/base/error.h"
#include "core/kernels/gates.h"
#include "core/layers/step_score.h"
#include "core/models/sequence_config.h"

namespace qkv {

inline constexpr std::string_view kRnnModelType = "qkv-rnn";

// "variant": when the decoder attends, and what becomes of what it saw.
enum class RnnVariant {
  kPlain,     // never: the encoder's last state is all it gets (Sutskever et al. 2014; Cho et al. 2014)
  kBahdanau,  // h_{t-1} -> a_t -> c_t -> h_t (Bahdanau et al. 2014)
  kTextbook,  // the same path with stacked layers on both sides; the top one asks
  kLuong,     // h_t -> a_t -> c_t -> h~_t = tanh(W_c [c_t; h_t]) (Luong et al. 2015)
};
inline constexpr std::string_view kVariantNames[] = {"plain", "bahdanau", "textbook", "luong"};

// The fields, as in the file. d_model is the size of a state, of each direction.
struct RnnConfig : SequenceConfig {
  RnnVariant variant = RnnVariant::kPlain;
  CellKind cell = CellKind::kLstm;  // "cell": gru, lstm
  size_t d_embedding = 0;           // "d_embedding"; d_model where it is not said
  bool bidirectional = false;       // "bidirectional": the encoder's layers; Bahdanau's are
  bool reverse_source = false;      // "reverse_source": it reads from the last piece to the first (Sutskever)
  bool context_every = true;    // "context" of plain: every step gets it (Cho), or the first state alone (Sutskever)
  bool output_context = false;  // "output_context" of bahdanau and textbook: tanh(W_o [h_t; c_t; y_t]) is written by
  bool input_feeding = false;   // "input_feeding" of luong: h~_{t-1} is read beside y_t
  StepScore score = StepScore::kAdditive;   // "score": dot, general, concat or additive, location
  WindowKind window = WindowKind::kGlobal;  // "window": global, local-m, local-p; "half_width": D, 10 as a rule
  size_t self_attention_heads = 0;  // "self_attention_heads": a layer of self-attention over the encoder's states
  bool shared_embeddings = true;    // "share_encoder_decoder_embeddings"
  bool tied_output = true;          // "tie_word_embeddings"
  bool scaled_embeddings = false;   // "scale_embedding": rows are read times sqrt(d_embedding), as the Transformer does
  float dropout = 0;                // "dropout": of embeddings, between layers, before the output, while training

  bool attends() const { return variant != RnnVariant::kPlain; }
  // The query is the state before: the context is there when the step begins.
  bool attends_before() const { return variant == RnnVariant::kBahdanau || variant == RnnVariant::kTextbook; }
  // Columns of what the encoder gives.
  size_t memory() const { return d_model * (bidirectional ? 2 : 1); }
  // Columns of what the decoder reads besides the piece; 0: nothing.
  size_t fed() const {
    if (attends_before() || (variant == RnnVariant::kPlain && context_every)) return memory();
    return input_feeding ? d_model : 0;
  }
  // Columns of what is joined before the output; 0: the state itself is the output.
  size_t joined() const {
    if (variant == RnnVariant::kLuong) return memory() + d_model;
    return output_context ? memory() + d_model + d_embedding : 0;
  }
  float embedding_scale() const { return scaled_embeddings ? std::sqrt(static_cast<float>(d_embedding)) : 1; }
  // The decoder begins in the encoder's own last states, layer by layer; otherwise in maps of them.
  bool copies_states() const {
    return !bidirectional && encoder_layers == decoder_layers && variant != RnnVariant::kBahdanau;
  }
};

// `json` is the content of config.json. Errors name the field.
Result<RnnConfig> ParseRnnConfig(std::string_view json);

}  // namespace qkv
