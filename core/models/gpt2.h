// The decoder-only Transformer in GPT-2's layout (Radford et al. 2019): pre-norm, learned positions, one matrix for
// queries, keys and values (stored transposed), and an output that is tied to the input. It implements Decoder, as the
// encoder-decoder does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/attention/segments.h"
#include "core/base/error.h"
#include "core/decode/decoder.h"
#include "core/layers/feed_forward.h"
#include "core/layers/multi_head.h"
#include "core/layers/norm.h"
#include "core/layers/weight_slots.h"
#include "core/models/key_value_state.h"

namespace qkv {

struct Gpt2Config {
  size_t d_model = 0, layers = 0, heads = 0, ffn = 0;
  size_t vocabulary = 0, positions = 0;
  Activation activation = Activation::kGeluTanh;
  float epsilon = 1e-5f;
  bool tied_output = true;
  int32_t start = -1, end = -1;  // the piece that begins a text, and the one that ends it; -1: none
  // Rates while training: of the embeddings, of the output of each block, of attention weights.
  float embedding_dropout = 0, dropout = 0, attention_dropout = 0;
};

// `json` is the content of config.json; a switch that this engine does not support is refused.
Result<Gpt2Config> ParseGpt2Config(std::string_view json);

class Gpt2State : public DecoderState {
 public:
  Gpt2State(const Gpt2Config& config, size_t hypotheses) : self(config.layers, config.d_model, hypotheses) {}

  KeyValueState self;
  std::vector<AttendedSegment> parts;  // reused from step to step
  std::vector<int32_t> positions;
};

class Gpt2 : public Decoder {
 public:
  explicit Gpt2(const Gpt2Config& config);

  const Gpt2Config& config() const { return config_; }
  WeightSlots Slots();

  // `tokens` holds the next `count` pieces of every hypothesis, one hypothesis after the other -> [rows, d]. Reserves
  // the state's rows. The caller stays within the positions.
  MatrixView Embed(Context& ctx, std::span<const int32_t> tokens, Gpt2State& state) const;
  // x [hypotheses * count, d] -> the same shape, layer by layer.
  MatrixView LayerStep(Context& ctx, size_t layer, ConstMatrixView x, Gpt2State& state) const;

  // An upper bound of the memory that LayerStep takes and leaves over `rows` rows; `fresh`: with Embed.
  MemoryNeed PassMemoryNeed(const Gpt2State& state, size_t rows, bool fresh, size_t threads) const;

  // The rows from which the logits of each next piece are computed, [ids.size(), d]. The texts are packed; each fits
  // into the model's positions.
  MatrixView ForwardForTraining(Context& ctx, std::span<const int32_t> ids, const Segments& segments) const;

  // Decoder.
  size_t vocabulary() const override { return config_.vocabulary; }
  MemoryNeed StepMemoryNeed(const DecoderState& state, size_t rows, size_t threads) const override;
  MatrixView Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& state) const override;
  MatrixView Logits(Context& ctx, ConstMatrixView x, std::span<const int32_t> pieces = {}) const override;
  void LogitsInParts(Context& ctx, ConstMatrixView x, LogitsUse use) const override;
  void Gather(std::span<const int32_t> hypotheses, DecoderState& state) const override;

 private:
  const Weight& output_table() const { return config_.tied_output ? pieces_ : output_; }
  struct Layer {
    Norm self_norm, final_norm;
    MultiHead self;
    FeedForward feed_forward;
  };
  // The rest of the layer. x: its input; `attended`: the result of self-attention, whose segments are `parts`.
  MatrixView Block(Context& ctx, size_t layer, ConstMatrixView x, MatrixView attended,
                   std::span<const AttendedSegment> parts) const;

  Gpt2Config config_;
  Weight pieces_, positions_{Int8Layout::kRows}, output_;
  Vector no_bias_;  // empty
  std::vector<Layer> layers_;
  Norm norm_;
};

}  // namespace qkv
