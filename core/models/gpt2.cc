#include "core/models/gpt2.h"

#include <algorithm>
#include <cassert>

#include "core/layers/dropout.h"
#include "core/layers/embedding.h"
#include "core/layers/learned_embedding.h"
#include "core/layers/residual.h"
#include "core/layers/scratch.h"
#include "core/layers/switch_off.h"
#include "core/models/config_fields.h"
#include "core/models/self_attention.h"
#include "core/models/slots.h"

namespace qkv {
namespace {

// Adds a matrix, or several side by side, that files store as [inputs, outputs].
void AddTransposed(WeightSlots& slots, const std::string& name, std::initializer_list<Linear*> parts, size_t outputs,
                   size_t inputs) {
  size_t first = 0;
  for (Linear* const part : parts) {
    const size_t whole = parts.size() * outputs;
    AddLinear(slots, name, *part, outputs, inputs);
    const size_t count = slots.slots.size();
    slots.slots[count - 2].transposed = true;
    for (WeightSlot* const slot : {&slots.slots[count - 2], &slots.slots[count - 1]}) {
      if (parts.size() > 1) slot->whole = whole;
      slot->first = first;
    }
    first += outputs;
  }
}

}  // namespace

Result<Gpt2Config> ParseGpt2Config(std::string_view text) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "config.json", kLargestConfig));
  QKV_CHECK(CheckSwitches(json, {{"scale_attn_weights", true, "attention that is not scaled"},
                                 {"scale_attn_by_inverse_layer_idx", false, "attention scaled by its layer"},
                                 {"add_cross_attention", false, "a decoder that attends to an encoder"}}));
  // Sizes.
  Gpt2Config config;
  QKV_CHECK(ReadSize(json, "n_embd", kLargestWidth, config.d_model));
  QKV_CHECK(ReadSize(json, "n_layer", kMostLayers, config.layers));
  QKV_CHECK(ReadSize(json, "n_head", kLargestWidth, config.heads));
  QKV_CHECK(ReadSize(json, "vocab_size", kLargestVocabulary, config.vocabulary));
  const char* const positions = json.Find("n_positions") != nullptr ? "n_positions" : "n_ctx";
  QKV_CHECK(ReadSize(json, positions, kMostPositions, config.positions));
  config.ffn = 4 * config.d_model;
  if (json.Find("n_inner") != nullptr) QKV_CHECK(ReadSize(json, "n_inner", 4 * kLargestWidth, config.ffn));
  if (config.d_model % config.heads != 0) {
    return json.Invalid("n_head", "must divide n_embd, " + std::to_string(config.d_model));
  }
  // How it computes.
  QKV_TRY(config.activation, ParseActivation(json, "activation_function", "gelu_new"));
  QKV_TRY(const double epsilon, json.Number("layer_norm_epsilon", 1e-5));
  if (epsilon <= 0 || epsilon > 1) return json.Invalid("layer_norm_epsilon", "must be above 0 and at most 1");
  config.epsilon = static_cast<float>(epsilon);
  QKV_TRY(config.embedding_dropout, ReadRate(json, "embd_pdrop"));
  QKV_TRY(config.dropout, ReadRate(json, "resid_pdrop"));
  QKV_TRY(config.attention_dropout, ReadRate(json, "attn_pdrop"));
  QKV_TRY(config.tied_output, json.Bool("tie_word_embeddings", true));
  // The pieces that begin and end a text; -1: none.
  const auto last = static_cast<int64_t>(config.vocabulary) - 1;
  QKV_TRY(const int64_t start, json.Integer("bos_token_id", 0, last, -1));
  QKV_TRY(const int64_t end, json.Integer("eos_token_id", 0, last, -1));
  config.start = static_cast<int32_t>(start);
  config.end = static_cast<int32_t>(end);
  return config;
}

Gpt2::Gpt2(const Gpt2Config& config) : config_(config), layers_(config.layers) {
  for (Layer& layer : layers_) {
    layer.self.heads = config.heads;
    layer.self.dropout = config.attention_dropout;
    layer.feed_forward.activation = config.activation;
    layer.self_norm.epsilon = layer.final_norm.epsilon = config.epsilon;
  }
  norm_.epsilon = config.epsilon;
}

WeightSlots Gpt2::Slots() {
  WeightSlots slots;
  const size_t d = config_.d_model;
  // Tables of pieces and of positions.
  slots.Add("wte.weight", pieces_, config_.vocabulary, d);
  slots.slots.back().start = Start::kEmbedding;
  slots.Add("wpe.weight", positions_, config_.positions, d);
  slots.slots.back().start = Start::kEmbedding;
  slots.slots.back().exact = true;
  // Layers. c_attn is one matrix of queries, keys and values.
  for (size_t i = 0; i < layers_.size(); ++i) {
    Layer& layer = layers_[i];
    const std::string name = "h." + std::to_string(i);
    AddNorm(slots, name + ".ln_1", layer.self_norm, d);
    AddTransposed(slots, name + ".attn.c_attn", {&layer.self.query, &layer.self.key, &layer.self.value}, d, d);
    AddTransposed(slots, name + ".attn.c_proj", {&layer.self.output}, d, d);
    AddNorm(slots, name + ".ln_2", layer.final_norm, d);
    AddTransposed(slots, name + ".mlp.c_fc", {&layer.feed_forward.in}, config_.ffn, d);
    AddTransposed(slots, name + ".mlp.c_proj", {&layer.feed_forward.out}, d, config_.ffn);
  }
  AddNorm(slots, "ln_f", norm_, d);
  // Files of the model with its head begin names with "transformer.", files of the model alone do not.
  for (WeightSlot& slot : slots.slots) {
    const std::vector<std::string> names = slot.names;
    slot.names.clear();
    for (const std::string& name : names) {
      slot.names.push_back("transformer." + name);
      slot.names.push_back(name);
    }
  }
  if (!config_.tied_output) slots.Add("lm_head.weight", output_, config_.vocabulary, d);
  slots.ignored = {"lm_head.weight", "*.attn.bias", "*.attn.masked_bias"};
  return slots;
}

MatrixView Gpt2::Embed(Context& ctx, std::span<const int32_t> tokens, Gpt2State& state) const {
  const size_t count = tokens.size() / state.self.hypotheses(), first = state.self.length();
  state.self.Append(count);
  state.positions.clear();
  for (size_t row = 0; row < tokens.size(); ++row) {
    state.positions.push_back(static_cast<int32_t>(first + row % count));
  }
  return EmbedLearned(ctx, {{pieces_, tokens}, {positions_, state.positions}});
}

MatrixView Gpt2::LayerStep(Context& ctx, size_t index, ConstMatrixView x, Gpt2State& state) const {
  const MultiHead& self = layers_[index].self;
  const MatrixView normed = Forward(ctx, layers_[index].self_norm, x);
  MatrixView attended = AttendPast(ctx, self, Operand(normed), state.self, index, {}, state.parts);
  return Block(ctx, index, x, attended, state.parts);
}

MatrixView Gpt2::Block(Context& ctx, size_t index, ConstMatrixView x, MatrixView attended,
                       std::span<const AttendedSegment> parts) const {
  const Layer& layer = layers_[index];
  Dropout(ctx, config_.dropout, attended);
  MatrixView y = Add(ctx, x, View(attended));
  MatrixView fed = Forward(ctx, layer.feed_forward, Forward(ctx, layer.final_norm, View(y)));
  Dropout(ctx, config_.dropout, fed);
  SwitchOff(ctx, Block::kFeedForward, /*decodes=*/true, index, parts, nullptr, fed);
  MatrixView z = Add(ctx, View(y), View(fed));
  SwitchOff(ctx, Block::kLayer, /*decodes=*/true, index, parts, x.data(), z);
  return z;
}

MatrixView Gpt2::ForwardForTraining(Context& ctx, std::span<const int32_t> ids, const Segments& segments) const {
  if (!kTrainable) return {nullptr, 0, 0};
  const std::vector<int32_t> positions = PositionsIn(segments);
  MatrixView x = EmbedLearned(ctx, {{pieces_, ids}, {positions_, positions}});
  Dropout(ctx, config_.embedding_dropout, x);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const MatrixView normed = Forward(ctx, layer.self_norm, View(x));
    const SelfAttended past =
        SelfAttend(ctx, layer.self, Operand(normed), segments, /*causal=*/true, {AttentionKind::kDecoderSelf, i});
    Rebind(x, Block(ctx, i, View(x), past.rows, past.parts));
  }
  return x;
}

MemoryNeed Gpt2::PassMemoryNeed(const Gpt2State& state, size_t rows, bool fresh, size_t threads) const {
  const size_t hypotheses = state.self.hypotheses(), count = fresh ? rows / hypotheses : 0;
  const uint64_t d = config_.d_model, grown = fresh ? state.self.Growth(hypotheses, count) : 0;
  const uint64_t rest = 2 * rows * d * sizeof(float);
  return {LayerScratch(rows, d, config_.ffn, state.self.length() + count, threads), grown + rest,
          std::max(fresh ? state.self.GrowthBlock(hypotheses, count) : 0, rest)};
}

// All layers: their rows are in the arena at the same time.
MemoryNeed Gpt2::StepMemoryNeed(const DecoderState& opaque, size_t rows, size_t threads) const {
  const auto& state = static_cast<const Gpt2State&>(opaque);
  return {config_.layers * LayerScratch(rows, config_.d_model, config_.ffn, state.self.length() + 1, threads),
          state.self.Growth(rows, 1)};
}

MatrixView Gpt2::Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& opaque) const {
  auto& state = static_cast<Gpt2State&>(opaque);
  MatrixView x = Embed(ctx, tokens, state);
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    Rebind(x, LayerStep(ctx, layer, View(x), state));
  }
  return x;
}

MatrixView Gpt2::Logits(Context& ctx, ConstMatrixView x, std::span<const int32_t> pieces) const {
  MatrixView normed = Forward(ctx, norm_, x);
  return PieceLogits(ctx, output_table(), no_bias_, normed, pieces);
}

void Gpt2::LogitsInParts(Context& ctx, ConstMatrixView x, LogitsUse use) const {
  MatrixView normed = Forward(ctx, norm_, x);
  EachPartOfLogits(ctx, output_table(), no_bias_, normed, use);
}

void Gpt2::Gather(std::span<const int32_t> hypotheses, DecoderState& opaque) const {
  static_cast<Gpt2State&>(opaque).self.Gather(hypotheses);
}

}  // namespace qkv
