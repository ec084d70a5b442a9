// config.json of a recurrent encoder-decoder, model_type "qkv-rnn": one class; its choices are named as in the papers.
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

// "variant": when the decoder attends, and how it uses the context.
enum class RnnVariant {
  kPlain,     // never; it gets only the encoder's last state (Sutskever et al. 2014; Cho et al. 2014)
  kBahdanau,  // h_{t-1} -> a_t -> c_t -> h_t (Bahdanau et al. 2014)
  kTextbook,  // the same with stacked layers on both sides; the top layer is the query
  kLuong,     // h_t -> a_t -> c_t -> h~_t = tanh(W_c [c_t; h_t]) (Luong et al. 2015)
};
inline constexpr std::string_view kVariantNames[] = {"plain", "bahdanau", "textbook", "luong"};

// The fields as in the file. d_model is the size of a state, for each direction.
struct RnnConfig : SequenceConfig {
  RnnVariant variant = RnnVariant::kPlain;
  CellKind cell = CellKind::kLstm;  // "cell": gru, lstm
  size_t d_embedding = 0;           // "d_embedding"; default: d_model
  bool bidirectional = false;       // "bidirectional": the encoder's layers, as in Bahdanau's model
  bool reverse_source = false;      // "reverse_source": the encoder reads from the last piece to the first (Sutskever)
  bool context_every = true;    // "context" of plain: every step reads it (Cho), or only the first state (Sutskever)
  bool output_context = false;  // "output_context" of bahdanau and textbook: logits from tanh(W_o [h_t; c_t; y_t])
  bool input_feeding = false;   // "input_feeding" of luong: the decoder reads h~_{t-1} and y_t
  StepScore score = StepScore::kAdditive;  // "score": dot, general, concat or additive, location
  // "selection" of luong: soft, or hard. Hard attention reads one place, the one of the largest score; while it is
  // trained it draws the place, and learns by REINFORCE (Williams 1992; Xu et al. 2015).
  bool hard = false;
  WindowKind window = WindowKind::kGlobal;  // "window": global, local-m, local-p; "half_width": D, default 10
  size_t self_attention_heads = 0;  // "self_attention_heads": a layer of self-attention over the encoder's states
  bool shared_embeddings = true;    // "share_encoder_decoder_embeddings"
  bool tied_output = true;          // "tie_word_embeddings"
  // "scale_embedding": rows are multiplied by sqrt(d_embedding), as in the Transformer
  bool scaled_embeddings = false;
  float dropout = 0;  // "dropout": of embeddings, between layers, before the output, while training

  bool attends() const { return variant != RnnVariant::kPlain; }
  // The query is the state of the step before, so the context is known when the step begins.
  bool attends_before() const { return variant == RnnVariant::kBahdanau || variant == RnnVariant::kTextbook; }
  // Columns of the encoder's output.
  size_t memory() const { return d_model * (bidirectional ? 2 : 1); }
  // Columns of the decoder's input besides the piece; 0: none.
  size_t fed() const {
    if (attends_before() || (variant == RnnVariant::kPlain && context_every)) return memory();
    return input_feeding ? d_model : 0;
  }
  // Columns of the concatenation before the output; 0: the state is the output.
  size_t joined() const {
    if (variant == RnnVariant::kLuong) return memory() + d_model;
    return output_context ? memory() + d_model + d_embedding : 0;
  }
  float embedding_scale() const { return scaled_embeddings ? std::sqrt(static_cast<float>(d_embedding)) : 1; }
  // Whether the decoder's first states are the encoder's last states, layer by layer. Otherwise they are linear maps of
  // them.
  bool copies_states() const {
    return !bidirectional && encoder_layers == decoder_layers && variant != RnnVariant::kBahdanau;
  }
};

// `json` is the content of config.json. Errors name the field.
Result<RnnConfig> ParseRnnConfig(std::string_view json);

}  // namespace qkv
