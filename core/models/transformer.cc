#include "core/models/transformer.h"

#include <cmath>

#include "core/layers/dropout.h"
#include "core/layers/embedding.h"
#include "core/layers/positions.h"
#include "core/layers/residual.h"
#include "core/layers/switch_off.h"
#include "core/models/self_attention.h"
#include "core/models/slots.h"

namespace qkv {
namespace {

// Adds the slots that encoder and decoder layers share besides the self-attention or SSRU.
template <class Layer>
void LayerSlots(WeightSlots& slots, const std::string& name, Layer& layer, size_t d, size_t ffn) {
  AddNorm(slots, name + ".self_attn_layer_norm", layer.self_norm, d);
  AddLinear(slots, name + ".fc1", layer.feed_forward.in, ffn, d);
  AddLinear(slots, name + ".fc2", layer.feed_forward.out, d, ffn);
  AddNorm(slots, name + ".final_layer_norm", layer.final_norm, d);
}

}  // namespace

Transformer::Transformer(const TransformerConfig& config)
    : config_(config), encoder_(config.encoder_layers), decoder_(config.decoder_layers) {
  // Positions: trained ones are copied by TakePositions, sinusoids are computed here.
  if (config.trained_positions) {
    positions_.setZero(static_cast<Eigen::Index>(config.max_positions), static_cast<Eigen::Index>(config.d_model));
  } else {
    positions_ = SinusoidalPositions(config.max_positions, config.d_model, PairLayout::kHalves, 0, config.frequencies);
  }
  // Sets the config's options in each part of each layer.
  for (Norm* norm : {&source_norm_, &target_norm_, &encoder_norm_, &decoder_norm_}) norm->epsilon = config.epsilon;
  for (EncoderLayer& layer : encoder_) {
    layer.self_norm.epsilon = layer.final_norm.epsilon = config.epsilon;
    layer.self.dropout = config.attention_dropout;
    layer.self.scaled = config.scaled_attention;
    layer.feed_forward.dropout = config.activation_dropout;
  }
  for (DecoderLayer& layer : decoder_) {
    layer.self_norm.epsilon = layer.cross_norm.epsilon = layer.final_norm.epsilon = config.epsilon;
    layer.self.dropout = layer.cross.dropout = config.attention_dropout;
    layer.self.scaled = layer.cross.scaled = config.scaled_attention;
    layer.feed_forward.dropout = config.activation_dropout;
  }
  SetLayers();
}

void Transformer::TakePositions() {
  if (!config_.trained_positions) return;
  for (size_t row = 0; row < config_.max_positions; ++row) {
    trained_positions_.GetRow(row, positions_.data() + row * config_.d_model);
  }
}

void Transformer::SetHeads(size_t heads, Activation activation, bool residual) {
  config_.residual = residual;
  config_.encoder_heads = config_.decoder_heads = heads;
  config_.activation = activation;
  SetAttentionShapes(config_);
  SetLayers();
}

void Transformer::SetLayers() {
  for (EncoderLayer& layer : encoder_) {
    layer.self.heads = config_.encoder_heads;
    layer.feed_forward.activation = config_.activation;
  }
  for (DecoderLayer& layer : decoder_) {
    layer.self.heads = layer.cross.heads = config_.decoder_heads;
    layer.feed_forward.activation = config_.activation;
  }
}

WeightSlots Transformer::Slots() {
  WeightSlots slots;
  const size_t d = config_.d_model, vocabulary = config_.vocabulary;
  // Tables of pieces and of positions, and the bias of the logits.
  const auto table = [&](std::vector<std::string> names, Weight& to, size_t rows) {
    slots.slots.push_back({std::move(names), rows, d, &to, false, Start::kEmbedding});
  };
  // Files with tied tables have one of these names, or several with the same content.
  std::vector<std::string> shared = {"model.shared.weight", "model.decoder.embed_tokens.weight",
                                     "model.encoder.embed_tokens.weight", "lm_head.weight"};
  if (config_.shared_embeddings) {
    table({shared[0], shared[2], shared[1], shared[3]}, source_, vocabulary);
  } else {
    table({shared[2]}, source_, config_.source_vocabulary);
    table({shared[1], shared[0]}, target_, vocabulary);
  }
  if (!config_.tied_output) table({shared[3]}, output_, vocabulary);
  if (config_.trained_positions) {
    table({"model.embed_positions.weight"}, trained_positions_, config_.max_positions);
    slots.slots.back().exact = true;
  }
  slots.slots.push_back({{"final_logits_bias"}, vocabulary, 1, &logits_bias_, true, Start::kZeros});
  slots.slots.back().row = true;  // as Hugging Face's MarianMT has it
  slots.ignored = std::move(shared);
  slots.ignored.insert(slots.ignored.end(),
                       {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"});

  // Norms outside the layers.
  for (const bool decodes : {false, true}) {
    const std::string side = decodes ? "model.decoder" : "model.encoder";
    if (config_.norm_embedding) {
      AddNorm(slots, side + ".layernorm_embedding", decodes ? target_norm_ : source_norm_, d);
    }
    if (config_.norm_last) AddNorm(slots, side + ".layer_norm", decodes ? decoder_norm_ : encoder_norm_, d);
  }
  // Layers.
  for (size_t i = 0; i < encoder_.size(); ++i) {
    const std::string name = "model.encoder.layers." + std::to_string(i);
    AddMultiHead(slots, name + ".self_attn", encoder_[i].self, d);
    LayerSlots(slots, name, encoder_[i], d, config_.encoder_ffn);
  }
  for (size_t i = 0; i < decoder_.size(); ++i) {
    const std::string name = "model.decoder.layers." + std::to_string(i);
    if (config_.past == Past::kSsru) {
      slots.Add(name + ".ssru.candidate.weight", decoder_[i].ssru.candidate.weight, d, d);
      AddLinear(slots, name + ".ssru.forget", decoder_[i].ssru.forget, d, d);
    } else {
      AddMultiHead(slots, name + ".self_attn", decoder_[i].self, d);
    }
    LayerSlots(slots, name, decoder_[i], d, config_.decoder_ffn);
    AddMultiHead(slots, name + ".encoder_attn", decoder_[i].cross, d);
    AddNorm(slots, name + ".encoder_attn_layer_norm", decoder_[i].cross_norm, d);
  }
  return slots;
}

float Transformer::scale() const {
  return config_.scale_embedding ? std::sqrt(static_cast<float>(config_.d_model)) : 1.0f;
}

// The input of a part of a layer: norm(x) with pre-norm, else x.
ConstMatrixView Transformer::Before(Context& ctx, const Norm& norm, ConstMatrixView x) const {
  return config_.pre_norm ? View(Forward(ctx, norm, x)) : x;
}

// norm(x + dropout(y)), x + dropout(y) with pre-norm, or norm(dropout(y)) without residuals.
MatrixView Transformer::Residual(Context& ctx, const Norm& norm, MatrixView y, ConstMatrixView x) const {
  Dropout(ctx, config_.dropout, y);
  if (!config_.residual) return Forward(ctx, norm, View(y));
  return config_.pre_norm ? Add(ctx, x, View(y)) : AddNorm(ctx, norm, x, View(y));
}

// The output of a side's layers, with the last norm if there is one.
MatrixView Transformer::Last(Context& ctx, const Norm& norm, bool is_last, MatrixView x) const {
  return is_last && config_.norm_last ? Forward(ctx, norm, View(x)) : x;
}

// The end of every embedding: a norm if the model has one, then dropout.
MatrixView Transformer::Embedded(Context& ctx, const Norm& norm, MatrixView x) const {
  MatrixView y = config_.norm_embedding ? Forward(ctx, norm, View(x)) : x;
  Dropout(ctx, config_.dropout, y);
  return y;
}

MatrixView Transformer::Embed(Context& ctx, const Weight& table, std::span<const int32_t> ids,
                              const Segments& segments) const {
  // Row r: sqrt(d) table[id] + position, counted from the segment's first row.
  MatrixView x = ctx.New(static_cast<Eigen::Index>(ids.size()), positions_.cols());
  for (size_t s = 0; s < segments.size(); ++s) {
    for (size_t row = segments.begin(s); row < segments.end(s); ++row) {
      EmbedRow(table, ids[row], scale(), positions_, row - segments.begin(s), x, row);
    }
  }
  if (ctx.Recording() != nullptr) RecordEmbedding(ctx, table, ids, scale(), x);
  return x;
}

MatrixView Transformer::EmbedSource(Context& ctx, std::span<const int32_t> ids, const Segments& segments) const {
  return Embedded(ctx, source_norm_, Embed(ctx, source_, ids, segments));
}

MatrixView Transformer::EncoderStep(Context& ctx, size_t index, ConstMatrixView x, const Segments& segments) const {
  const EncoderLayer& layer = encoder_[index];
  // Self-attention.
  const SelfAttended past = SelfAttend(ctx, layer.self, Operand(Before(ctx, layer.self_norm, x)), segments,
                                       /*causal=*/false, {AttentionKind::kEncoderSelf, index});
  MatrixView y = Residual(ctx, layer.self_norm, past.rows, x);
  // The feed-forward network.
  MatrixView fed = Forward(ctx, layer.feed_forward, Before(ctx, layer.final_norm, View(y)));
  SwitchOff(ctx, Block::kFeedForward, /*decodes=*/false, index, past.parts, nullptr, fed);
  MatrixView z = Residual(ctx, layer.final_norm, fed, View(y));
  SwitchOff(ctx, Block::kLayer, /*decodes=*/false, index, past.parts, x.data(), z);
  return Last(ctx, encoder_norm_, index + 1 == encoder_.size(), z);
}

// Keys and values of the source are the same for every step and hypothesis, so they are computed once.
void Transformer::ProjectMemory(Context& ctx, size_t index, ConstMatrixView memory, TransformerState& state) const {
  const Operand in(memory);
  const auto project = [&](const Linear& linear, Matrix& to) {
    ForwardInto(ctx, linear, in, Activation::kNone, {to.data(), to.rows(), to.cols()});
  };
  project(decoder_[index].cross.key, state.keys[index]);
  project(decoder_[index].cross.value, state.values[index]);
}

MatrixView Transformer::EmbedTarget(Context& ctx, std::span<const int32_t> tokens, TransformerState& state) const {
  // The position of a new piece is the number of pieces that its hypothesis has read.
  const size_t count = tokens.size() / state.self.hypotheses(), first = state.self.length();
  state.self.Append(count);
  MatrixView x = ctx.New(static_cast<Eigen::Index>(tokens.size()), positions_.cols());
  for (size_t row = 0; row < tokens.size(); ++row) {
    EmbedRow(target_table(), tokens[row], scale(), positions_, first + row % count, x, row);
  }
  return Embedded(ctx, target_norm_, x);
}

MatrixView Transformer::ReadPast(Context& ctx, size_t index, const Operand& in, TransformerState& state) const {
  const DecoderLayer& layer = decoder_[index];
  // SSRU: one cell state for each hypothesis.
  if (config_.past == Past::kSsru) {
    const size_t hypotheses = state.self.hypotheses(), count = static_cast<size_t>(in.floats().rows()) / hypotheses;
    state.ssru_parts.clear();
    for (size_t h = 0; h < hypotheses; ++h) {
      state.ssru_parts.push_back({h * count, count, state.cells[index].data() + h * config_.d_model});
    }
    return Forward(ctx, layer.ssru, in, state.ssru_parts, {AttentionKind::kDecoderSelf, index});
  }
  return AttendPast(ctx, layer.self, in, state.self, index, state.segment, state.self_parts);
}

MatrixView Transformer::DecoderStep(Context& ctx, size_t index, ConstMatrixView x, TransformerState& state) const {
  // Self-attention or SSRU, over what the hypothesis has read.
  const size_t hypotheses = state.self.hypotheses(), count = static_cast<size_t>(x.rows()) / hypotheses;
  MatrixView past = ReadPast(ctx, index, Operand(Before(ctx, decoder_[index].self_norm, x)), state);
  // Cross-attention: each hypothesis sees the rows of its own source.
  state.cross_parts.clear();
  for (size_t h = 0; h < hypotheses; ++h) {
    const auto segment = static_cast<size_t>(state.segment[h]);
    const size_t at = state.memory.begin(segment) * config_.d_model;
    state.cross_parts.push_back({.first_row = h * count,
                                 .rows = count,
                                 .keys = state.keys[index].data() + at,
                                 .values = state.values[index].data() + at,
                                 .length = state.memory.length(segment),
                                 .first_query = state.self.length() - count,
                                 .segment = segment});
  }
  return DecoderBlock(ctx, index, x, past, state.cross_parts);
}

MatrixView Transformer::DecoderBlock(Context& ctx, size_t index, ConstMatrixView x, MatrixView past,
                                     std::span<const AttendedSegment> cross_parts) const {
  const DecoderLayer& layer = decoder_[index];
  // Cross-attention; the queries are the output of the first part.
  MatrixView y = Residual(ctx, layer.self_norm, past, x);
  const Operand query(Before(ctx, layer.cross_norm, View(y)));
  MatrixView cross = Forward(ctx, layer.cross, query, cross_parts, {AttentionKind::kCross, index});
  MatrixView z = Residual(ctx, layer.cross_norm, cross, View(y));
  // The feed-forward network.
  MatrixView fed = Forward(ctx, layer.feed_forward, Before(ctx, layer.final_norm, View(z)));
  SwitchOff(ctx, Block::kFeedForward, /*decodes=*/true, index, cross_parts, nullptr, fed);
  MatrixView out = Residual(ctx, layer.final_norm, fed, View(z));
  SwitchOff(ctx, Block::kLayer, /*decodes=*/true, index, cross_parts, x.data(), out);
  return Last(ctx, decoder_norm_, index + 1 == decoder_.size(), out);
}

MatrixView Transformer::PastForTraining(Context& ctx, size_t index, const Operand& in, const Segments& segments) const {
  const DecoderLayer& layer = decoder_[index];
  const AttentionPlace place = {AttentionKind::kDecoderSelf, index};
  if (config_.past == Past::kSsru) {
    std::vector<SsruPart> parts;
    parts.reserve(segments.size());
    for (size_t s = 0; s < segments.size(); ++s) parts.push_back({segments.begin(s), segments.length(s), nullptr});
    return Forward(ctx, layer.ssru, in, parts, place);
  }
  return SelfAttend(ctx, layer.self, in, segments, /*causal=*/true, place).rows;
}

MatrixView Transformer::ForwardForTraining(Context& ctx, std::span<const int32_t> source,
                                           const Segments& source_segments, std::span<const int32_t> target,
                                           const Segments& target_segments) const {
  if (!kTrainable) return {nullptr, 0, 0};
  // The encoder.
  MatrixView x = EmbedSource(ctx, source, source_segments);
  for (size_t layer = 0; layer < encoder_.size(); ++layer) Rebind(x, EncoderStep(ctx, layer, View(x), source_segments));
  // The decoder over all pieces of the target at once.
  const ConstMatrixView read = View(x);
  const Operand memory(read);
  Rebind(x, Embedded(ctx, target_norm_, Embed(ctx, target_table(), target, target_segments)));
  for (size_t layer = 0; layer < decoder_.size(); ++layer) {
    const MultiHead& cross = decoder_[layer].cross;
    MatrixView past =
        PastForTraining(ctx, layer, Operand(Before(ctx, decoder_[layer].self_norm, View(x))), target_segments);
    MatrixView keys = Forward(ctx, cross.key, memory), values = Forward(ctx, cross.value, memory);
    Rebind(x, DecoderBlock(ctx, layer, View(x), past,
                           AttendEach(target_segments, source_segments, View(keys), View(values), false)));
  }
  return x;
}

MatrixView Transformer::Logits(Context& ctx, ConstMatrixView x, std::span<const int32_t> pieces) const {
  return PieceLogits(ctx, output_table(), logits_bias_, x, pieces);
}

void Transformer::LogitsInParts(Context& ctx, ConstMatrixView x, LogitsUse use) const {
  EachPartOfLogits(ctx, output_table(), logits_bias_, x, use);
}

}  // namespace qkv
