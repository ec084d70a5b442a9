#include "core/models/encoder.h"

#include "core/layers/dropout.h"
#include "core/layers/embedding.h"
#include "core/layers/learned_embedding.h"
#include "core/layers/scratch.h"
#include "core/layers/steps.h"
#include "core/layers/switch_off.h"
#include "core/models/self_attention.h"
#include "core/models/slots.h"

namespace qkv {
namespace {

using Head = EncoderConfig::Head;
using Layout = EncoderConfig::Layout;

// The names of a layer's parts in files.
struct LayerNames {
  const char *layer, *query, *key, *value, *output, *self_norm, *in, *out, *final_norm;
};
constexpr LayerNames kBertNames = {"encoder.layer.",        ".attention.self.query",   ".attention.self.key",
                                   ".attention.self.value", ".attention.output.dense", ".attention.output.LayerNorm",
                                   ".intermediate.dense",   ".output.dense",           ".output.LayerNorm"};
constexpr LayerNames kDistilBertNames = {"transformer.layer.", ".attention.q_lin",   ".attention.k_lin",
                                         ".attention.v_lin",   ".attention.out_lin", ".sa_layer_norm",
                                         ".ffn.lin1",          ".ffn.lin2",          ".output_layer_norm"};

const LayerNames& NamesOf(Layout layout) { return layout == Layout::kDistilBert ? kDistilBertNames : kBertNames; }

// BERT's first files call a norm's gain gamma and its bias beta.
void NormSlots(WeightSlots& slots, const std::string& name, Norm& norm, size_t d) {
  AddNorm(slots, name, norm, d);
  const size_t count = slots.slots.size();
  slots.slots[count - 2].names.push_back(name + ".gamma");
  slots.slots[count - 1].names.push_back(name + ".beta");
}

// The prefix of names in files that have a head. Files of the model alone have no prefix.
std::string PrefixOf(Layout layout) {
  return layout == Layout::kBert ? "bert." : layout == Layout::kDistilBert ? "distilbert." : "roberta.";
}

}  // namespace

Encoder::Encoder(EncoderConfig config) : config_(std::move(config)), layers_(config_.layers) {
  for (Layer& layer : layers_) {
    layer.self.heads = config_.heads;
    layer.self.dropout = config_.attention_dropout;
    layer.feed_forward.activation = config_.activation;
    layer.self_norm.epsilon = layer.final_norm.epsilon = config_.epsilon;
  }
  embedding_norm_.epsilon = head_norm_.epsilon = config_.epsilon;
  if (config_.head == Head::kMasked) last_.weight = Weight(Int8Layout::kRows);
}

void Encoder::LayerSlots(WeightSlots& slots, const std::string& name, Layer& layer) {
  const LayerNames& names = NamesOf(config_.layout);
  const size_t d = config_.d_model;
  AddLinear(slots, name + names.query, layer.self.query, d, d);
  AddLinear(slots, name + names.key, layer.self.key, d, d);
  AddLinear(slots, name + names.value, layer.self.value, d, d);
  AddLinear(slots, name + names.output, layer.self.output, d, d);
  NormSlots(slots, name + names.self_norm, layer.self_norm, d);
  AddLinear(slots, name + names.in, layer.feed_forward.in, config_.ffn, d);
  AddLinear(slots, name + names.out, layer.feed_forward.out, d, config_.ffn);
  NormSlots(slots, name + names.final_norm, layer.final_norm, d);
}

WeightSlots Encoder::Slots() {
  WeightSlots slots;
  const size_t d = config_.d_model;
  // Tables, and the norm after their sum. Those of positions and types are small: they stay floats in an int8 model.
  const auto table = [&](const char* name, Weight& to, size_t rows, bool exact) {
    slots.Add(std::string("embeddings.") + name + "_embeddings.weight", to, rows, d);
    slots.slots.back().start = Start::kEmbedding;
    slots.slots.back().exact = exact;
  };
  table("word", pieces_, config_.vocabulary, false);
  table("position", positions_, config_.positions, true);
  if (config_.types != 0) table("token_type", types_, config_.types, true);
  NormSlots(slots, "embeddings.LayerNorm", embedding_norm_, d);
  // Layers.
  for (size_t i = 0; i < layers_.size(); ++i) {
    LayerSlots(slots, NamesOf(config_.layout).layer + std::to_string(i), layers_[i]);
  }
  // Each tensor's name, with the model's prefix and without it.
  for (WeightSlot& slot : slots.slots) {
    std::vector<std::string> names;
    for (const std::string& name : slot.names) {
      names.push_back(PrefixOf(config_.layout) + name);
      names.push_back(name);
    }
    slot.names = std::move(names);
  }
  // The head; its names have no prefix, or another one.
  HeadSlots(slots);
  // Positions are counted without a table. The other tensors are a pooler or a head that this use of the model does not
  // need.
  slots.ignored = {"*embeddings.position_ids", "*embeddings.token_type_ids",  "*pooler.dense.weight",
                   "*pooler.dense.bias",       "cls.seq_relationship.weight", "cls.seq_relationship.bias"};
  if (config_.head == Head::kMasked) {
    for (const char* name : {"cls.predictions.decoder", "lm_head.decoder", "vocab_projector"}) {
      slots.ignored.push_back(std::string(name) + ".weight");
      slots.ignored.push_back(std::string(name) + ".bias");
    }
  }
  return slots;
}

void Encoder::HeadSlots(WeightSlots& slots) {
  const size_t d = config_.d_model, labels = config_.labels.size();
  const Layout layout = config_.layout;
  // The three layouts name the same tensors in three ways.
  switch (config_.head) {
    case Head::kNone:
      break;
    // A dense layer with a norm. Its output is multiplied by the table of pieces, which files hold only once.
    case Head::kMasked: {
      const bool bert = layout == Layout::kBert, distil = layout == Layout::kDistilBert;
      AddLinear(slots,
                bert     ? "cls.predictions.transform.dense"
                : distil ? "vocab_transform"
                         : "lm_head.dense",
                dense_, d, d);
      NormSlots(slots,
                bert     ? "cls.predictions.transform.LayerNorm"
                : distil ? "vocab_layer_norm"
                         : "lm_head.layer_norm",
                head_norm_, d);
      slots.Add(bert     ? "cls.predictions.bias"
                : distil ? "vocab_projector.bias"
                         : "lm_head.bias",
                last_.bias, config_.vocabulary);
      if (bert) slots.slots.back().names.emplace_back("cls.predictions.decoder.bias");
      if (layout == Layout::kRoberta) slots.slots.back().names.emplace_back("lm_head.decoder.bias");
      break;
    }
    // A dense layer over the first row, then the labels.
    case Head::kSequence:
      AddLinear(slots,
                layout == Layout::kBert         ? "bert.pooler.dense"
                : layout == Layout::kDistilBert ? "pre_classifier"
                                                : "classifier.dense",
                dense_, d, d);
      AddLinear(slots, layout == Layout::kRoberta ? "classifier.out_proj" : "classifier", last_, labels, d);
      break;
    case Head::kTokens:
      AddLinear(slots, "classifier", last_, labels, d);
      break;
    case Head::kAnswer:
      AddLinear(slots, "qa_outputs", last_, 2, d);
      break;
  }
}

MemoryNeed Encoder::PassMemoryNeed(size_t rows, size_t longest, size_t threads) const {
  return {LayerScratch(rows, config_.d_model, config_.ffn, longest, threads),
          2 * uint64_t{rows} * config_.d_model * sizeof(float)};
}

MatrixView Encoder::Embed(Context& ctx, std::span<const int32_t> ids, std::span<const int32_t> types,
                          const Segments& segments) const {
  const std::vector<int32_t> positions = PositionsIn(segments, config_.first_position);
  // The second text has segment 1 only if the model has learnt one.
  std::vector<int32_t> known(types.begin(), types.end());
  for (int32_t& type : known) type = static_cast<size_t>(type) < config_.types ? type : 0;
  MatrixView x = EmbedLearned(ctx, {{pieces_, ids}, {types_, known}, {positions_, positions}});
  MatrixView y = Forward(ctx, embedding_norm_, View(x));
  Dropout(ctx, config_.dropout, y);
  return y;
}

MatrixView Encoder::Step(Context& ctx, size_t index, ConstMatrixView x, const Segments& segments) const {
  const Layer& layer = layers_[index];
  SelfAttended attended =
      SelfAttend(ctx, layer.self, Operand(x), segments, /*causal=*/false, {AttentionKind::kEncoderSelf, index});
  Dropout(ctx, config_.dropout, attended.rows);
  MatrixView y = AddNorm(ctx, layer.self_norm, x, View(attended.rows));
  MatrixView fed = Forward(ctx, layer.feed_forward, y);
  Dropout(ctx, config_.dropout, fed);
  SwitchOff(ctx, Block::kFeedForward, /*decodes=*/false, index, attended.parts, nullptr, fed);
  MatrixView z = AddNorm(ctx, layer.final_norm, View(y), View(fed));
  SwitchOff(ctx, Block::kLayer, /*decodes=*/false, index, attended.parts, x.data(), z);
  return z;
}

MatrixView Encoder::ForwardForTraining(Context& ctx, std::span<const int32_t> ids, std::span<const int32_t> types,
                                       const Segments& segments, std::span<const int32_t> labelled) const {
  if (!kTrainable) return {nullptr, 0, 0};
  MatrixView x = Embed(ctx, ids, types, segments);
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    Rebind(x, Step(ctx, layer, View(x), segments));
  }
  return GatherRows(ctx, View(x), labelled);
}

MatrixView Encoder::Logits(Context& ctx, ConstMatrixView x) const {
  switch (config_.head) {
    case Head::kMasked: {
      // RoBERTa's head uses gelu for any hidden_act, as transformers' RobertaLMHead does; so do the heads of XLM-R and
      // CamemBERT.
      const bool roberta = config_.layout == Layout::kRoberta;
      MatrixView hidden = Forward(ctx, dense_, x, roberta ? Activation::kGelu : config_.activation);
      MatrixView normed = Forward(ctx, head_norm_, View(hidden));
      return PieceLogits(ctx, pieces_, last_.bias, normed, {});
    }
    case Head::kSequence: {
      const bool distil = config_.layout == Layout::kDistilBert;
      return Forward(ctx, last_, Forward(ctx, dense_, x, distil ? Activation::kRelu : Activation::kTanh));
    }
    default:
      return Forward(ctx, last_, x);
  }
}

}  // namespace qkv
