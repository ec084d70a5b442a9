#include "core/models/rnn_seq2seq.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/layers/dropout.h"
#include "core/layers/embedding.h"
#include "core/models/self_attention.h"
#include "core/models/slots.h"

namespace qkv {

RnnSeq2Seq::RnnSeq2Seq(const RnnConfig& config)
    : config_(config), encoder_(config.encoder_layers), bridges_(config.copies_states() ? 0 : config.decoder_layers) {
  decoder_.layers.resize(config.decoder_layers);
  for (RecurrentLayer& layer : encoder_) {
    layer.forward.kind = layer.backward.kind = config.cell;
    layer.bidirectional = config.bidirectional;
    layer.reversed = config.reverse_source;
  }
  for (RecurrentCell& cell : decoder_.layers) cell.kind = config.cell;
  self_.heads = std::max<size_t>(config.self_attention_heads, 1);
  decoder_.attention.score = config.score;
  decoder_.attention.hard = config.hard;
  decoder_.attention.window = config.window;
  decoder_.attention.half_width = config.half_width;
}

WeightSlots RnnSeq2Seq::Slots() {
  WeightSlots slots;
  const size_t d = config_.d_model, e = config_.d_embedding, m = config_.memory(), vocabulary = config_.vocabulary;
  // Tables of pieces and the output.
  const auto table = [&](const char* name, Weight& to, size_t columns) {
    slots.slots.push_back({{name}, vocabulary, columns, &to, false, Start::kEmbedding});
  };
  table(config_.shared_embeddings ? "embedding.weight" : "encoder.embedding.weight", source_, e);
  if (!config_.shared_embeddings) table("decoder.embedding.weight", target_, e);
  if (!config_.tied_output) slots.Add("output.weight", output_, vocabulary, d);
  slots.Add("output.bias", logits_bias_, vocabulary);
  // The encoder: layer 0 reads embeddings [e], the others read the states of the layer below [m].
  for (size_t l = 0; l < encoder_.size(); ++l) {
    const size_t inputs = l == 0 ? e : m;
    CellSlots(slots, "encoder.rnn", "l" + std::to_string(l), encoder_[l].forward, d, inputs);
    if (!config_.bidirectional) continue;
    CellSlots(slots, "encoder.rnn", "l" + std::to_string(l) + "_reverse", encoder_[l].backward, d, inputs);
  }
  // Self-attention over the encoder's states.
  if (config_.self_attention_heads != 0) {
    const std::string name = "encoder.self_attn";
    AddMultiHead(slots, name, self_, m);
    AddNorm(slots, name + "_layer_norm", self_norm_, m);
  }
  // The decoder's first states, its cells, and what feeds the first of them.
  for (size_t l = 0; l < bridges_.size(); ++l) {
    const std::string name = "bridge." + std::to_string(l);
    AddLinear(slots, name + ".hidden", bridges_[l].hidden, d, m);
    if (config_.cell == CellKind::kLstm) AddLinear(slots, name + ".cell", bridges_[l].cell, d, m);
  }
  for (size_t l = 0; l < decoder_.layers.size(); ++l) {
    CellSlots(slots, "decoder.rnn", "l" + std::to_string(l), decoder_.layers[l], d, l == 0 ? e : d);
  }
  if (config_.fed() != 0) slots.Add("decoder.rnn.C", decoder_.feed.weight, GatesOf(config_.cell) * d, config_.fed());
  // The attention, and what joins its context with the state.
  if (config_.attends())
    StepAttentionSlots(slots, "decoder.attention", decoder_.attention, d, m, config_.max_positions);
  if (config_.joined() != 0) {
    slots.Add(config_.attends_before() ? "decoder.W_o" : "decoder.W_c", decoder_.join.weight, d, config_.joined());
  }
  return slots;
}

MatrixView RnnSeq2Seq::EmbedSource(Context& ctx, std::span<const int32_t> ids) const {
  MatrixView x = EmbedRows(ctx, source_, ids, config_.embedding_scale());
  Dropout(ctx, config_.dropout, x);
  return x;
}

RecurrentOutput RnnSeq2Seq::EncoderLayer(Context& ctx, size_t layer, ConstMatrixView x,
                                         const Segments& segments) const {
  RecurrentOutput out = Forward(ctx, encoder_[layer], x, segments);
  Dropout(ctx, config_.dropout, out.rows);
  return out;
}

MatrixView RnnSeq2Seq::SelfAttend(Context& ctx, ConstMatrixView x, const Segments& segments) const {
  MatrixView attended =
      qkv::SelfAttend(ctx, self_, Operand(x), segments, /*causal=*/false, {AttentionKind::kEncoderSelf, 0}).rows;
  Dropout(ctx, config_.dropout, attended);
  return AddNorm(ctx, self_norm_, x, View(attended));
}

// h_0 = tanh(W h + b), as Bahdanau's s_0, and c_0 = W c + b, from the last states of encoder layer min(layer, its last
// one).
CellRows RnnSeq2Seq::FirstState(Context& ctx, size_t layer, std::span<const CellRows> last) const {
  const CellRows& from = last[std::min(layer, last.size() - 1)];
  if (bridges_.empty()) return from;
  const Bridge& bridge = bridges_[layer];
  return {View(Forward(ctx, bridge.hidden, from.hidden, Activation::kTanh)),
          from.cell.size() != 0 ? View(Forward(ctx, bridge.cell, from.cell)) : from.cell};
}

namespace {

// Packed segments in the order of `ranks`: their rows and their new segments.
struct Ranked {
  std::vector<int32_t> rows;
  Segments segments;
};
Ranked InOrder(const Segments& segments, std::span<const int32_t> ranks) {
  Ranked ranked;
  for (const int32_t rank : ranks) {
    const auto s = static_cast<size_t>(rank);
    for (size_t row = segments.begin(s); row < segments.end(s); ++row) {
      ranked.rows.push_back(static_cast<int32_t>(row));
    }
    ranked.segments.Add(segments.length(s));
  }
  return ranked;
}

// The segment of every row of an order.
std::vector<int32_t> SegmentsByStep(const StepOrder& order) {
  std::vector<int32_t> of(order.rows());
  for (size_t step = 0; step < order.steps(); ++step) {
    std::copy_n(order.segments().begin(), order.count(step),
                of.begin() + static_cast<std::ptrdiff_t>(order.first(step)));
  }
  return of;
}

}  // namespace

MatrixView RnnSeq2Seq::ForwardForTraining(Context& ctx, std::span<const int32_t> source,
                                          const Segments& source_segments, std::span<const int32_t> target,
                                          const Segments& target_segments) const {
  if (!kTrainable) return {nullptr, 0, 0};
  // The encoder.
  MatrixView read = EmbedSource(ctx, source);
  std::vector<CellRows> last;
  for (size_t l = 0; l < encoder_.size(); ++l) {
    const RecurrentOutput out = EncoderLayer(ctx, l, View(read), source_segments);
    last.push_back(out.last);
    Rebind(read, out.rows);
  }
  if (config_.self_attention_heads != 0) Rebind(read, SelfAttend(ctx, View(read), source_segments));

  // From here on sentences and the memory are in the order of the targets' lengths.
  const StepOrder order(target_segments);
  const Ranked ranked = InOrder(source_segments, order.segments());
  std::optional<StepMemory> memory;
  if (config_.attends()) {
    const ConstMatrixView values = View(GatherRows(ctx, View(read), ranked.rows));
    memory.emplace(StepMemory{MemoryKeys(ctx, decoder_.attention, values, ranked.segments), values, ranked.segments});
  }
  std::vector<int32_t> ids(target.size());
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = target[static_cast<size_t>(order.packed()[i])];
  MatrixView x = EmbedRows(ctx, target_table(), ids, config_.embedding_scale());
  Dropout(ctx, config_.dropout, x);

  // The decoder from its first states, all steps.
  RnnSteps steps(ctx, config_, decoder_, x, memory);
  RnnSteps::Before start;
  for (size_t l = 0; l < decoder_.layers.size(); ++l) {
    start.layers.push_back(Gathered(ctx, FirstState(ctx, l, last), order.segments()));
  }
  MatrixView zeros = ctx.New(start.layers[0].hidden.rows(), static_cast<Eigen::Index>(config_.d_model));
  zeros.setZero();
  Rebind(start.attended, View(zeros));
  if (!config_.attends() && config_.fed() != 0) {
    steps.Feed(ctx, 0, View(GatherRows(ctx, last.back().hidden, SegmentsByStep(order))));
  }
  // Rows by steps become rows by sentences again.
  steps.RunAll(ctx, order, start);
  MatrixView output = GatherRows(ctx, steps.output(), order.by_steps());
  Dropout(ctx, config_.dropout, output);
  return output;
}

MatrixView RnnSeq2Seq::Logits(Context& ctx, ConstMatrixView x, std::span<const int32_t> pieces) const {
  return PieceLogits(ctx, output_table(), logits_bias_, x, pieces);
}

void RnnSeq2Seq::LogitsInParts(Context& ctx, ConstMatrixView x, LogitsUse use) const {
  EachPartOfLogits(ctx, output_table(), logits_bias_, x, use);
}

}  // namespace qkv
