// Search with a recurrent model: the encoder layer by layer, the decoder step by step with its states.
#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "core/layers/embedding.h"
#include "core/layers/scratch.h"
#include "core/models/rnn_seq2seq.h"

namespace qkv {
namespace {

CellRows State(const Matrix& hidden, const Matrix& cell) { return {View(hidden), View(cell)}; }

void GatherIn(Matrix& rows, std::span<const int32_t> which) {
  if (rows.size() == 0) return;
  Matrix gathered(static_cast<Eigen::Index>(which.size()), rows.cols());
  const auto width = static_cast<size_t>(rows.cols());
  for (size_t i = 0; i < which.size(); ++i) {
    std::copy_n(rows.data() + static_cast<size_t>(which[i]) * width, width, gathered.data() + i * width);
  }
  rows.swap(gathered);
}

}  // namespace

// Floats of one step of the decoder. Each layer has products, states and saved gates. The attention, one row after the
// other, has queries, contexts and their concatenations.
uint64_t RnnSeq2Seq::StepScratch(uint64_t rows, uint64_t keys) const {
  constexpr uint64_t kLines = 256;
  const uint64_t d = config_.d_model, widest = config_.memory() + config_.d_embedding;
  const uint64_t attention = (2 * keys + 64) * (2 * widest + 64) + 16 * keys;
  return rows * (config_.decoder_layers * (20 * d + kLines) + 16 * widest + kLines) + attention + 16 * kLines;
}

// The memory of an encoder layer in both directions, then of the decoder's first state or of one of its steps.
MemoryNeed RnnSeq2Seq::PassMemoryNeed(size_t rows, size_t keys, size_t threads) const {
  constexpr uint64_t kLines = 512;
  const uint64_t d = config_.d_model, widest = config_.memory() + config_.d_embedding;
  const uint64_t layer = rows * (52 * d + 8 * widest + kLines) + LayerScratch(rows, widest, 0, keys, threads);
  const uint64_t layers = config_.encoder_layers + config_.decoder_layers;
  return {layer + StepScratch(rows, keys), rows * (4 * widest + 4 * layers * d) * sizeof(float)};
}

MemoryNeed RnnSeq2Seq::StepMemoryNeed(const DecoderState& opaque, size_t rows, size_t) const {
  const auto& state = static_cast<const RnnState&>(opaque);
  const uint64_t states = (2 * config_.decoder_layers + 2) * rows * config_.d_model;
  return {StepScratch(rows, state.memory.segments.rows()), 2 * states * sizeof(float)};
}

MatrixView RnnSeq2Seq::Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& opaque) const {
  auto& state = static_cast<RnnState&>(opaque);
  assert(tokens.size() == state.segment.size() && ctx.Recording() == nullptr);
  // What the step reads: the encoder's memory, the tokens, and the states after the last step.
  const RnnMemory& read = state.memory;
  std::optional<StepMemory> memory;
  if (config_.attends()) {
    memory.emplace(StepMemory{View(read.keys.size() != 0 ? read.keys : read.values), View(read.values), read.segments});
  }
  RnnSteps steps(ctx, config_, decoder_, EmbedRows(ctx, target_table(), tokens, config_.embedding_scale()), memory);
  RnnSteps::Before before;
  for (size_t l = 0; l < decoder_.layers.size(); ++l) before.layers.push_back(State(state.hidden[l], state.cell[l]));
  Rebind(before.attended, View(state.attended));
  if (!config_.attends() && config_.fed() != 0) {
    steps.Feed(ctx, 0, View(GatherRows(ctx, View(read.summary), state.segment)));
  }
  // One step, and the states after it.
  steps.Run(ctx, 0, tokens.size(), before, state.segment, state.length);
  for (size_t l = 0; l < decoder_.layers.size(); ++l) {
    const CellRows after = steps.layer(l, 0, tokens.size());
    state.hidden[l] = after.hidden;
    if (after.cell.size() != 0) state.cell[l] = after.cell;
  }
  if (config_.input_feeding) state.attended = steps.output();
  ++state.length;
  // The output of the step.
  MatrixView output = ctx.New(steps.output().rows(), steps.output().cols());
  output = steps.output();
  return output;
}

void RnnSeq2Seq::Gather(std::span<const int32_t> hypotheses, DecoderState& opaque) const {
  auto& state = static_cast<RnnState&>(opaque);
  std::vector<int32_t> segment;
  for (const int32_t h : hypotheses) segment.push_back(state.segment[static_cast<size_t>(h)]);
  state.segment.swap(segment);
  for (size_t l = 0; l < decoder_.layers.size(); ++l) {
    GatherIn(state.hidden[l], hypotheses);
    GatherIn(state.cell[l], hypotheses);
  }
  GatherIn(state.attended, hypotheses);
}

namespace {

// The encoder, one layer a step.
class RnnEncoder : public EncoderPass {
 public:
  RnnEncoder(const RnnSeq2Seq& model, const StepAttention& attention, std::vector<int32_t> ids,
             const Segments& segments)
      : model_(model), attention_(attention), ids_(std::move(ids)) {
    memory_.segments = segments;
  }

  bool Step(Context& ctx) override {
    const RnnConfig& config = model_.config();
    Matrix& x = memory_.values;
    if (layer_ == config.encoder_layers) {
      x = model_.SelfAttend(ctx, View(x), memory_.segments);
      return true;
    }
    if (layer_ == 0) x = model_.EmbedSource(ctx, ids_);
    const RecurrentOutput out = model_.EncoderLayer(ctx, layer_++, View(x), memory_.segments);
    x = out.rows;
    memory_.last_hidden.emplace_back(out.last.hidden);
    memory_.last_cell.emplace_back(out.last.cell);
    return layer_ == config.encoder_layers && config.self_attention_heads == 0;
  }

  std::unique_ptr<DecoderState> Start(Context& ctx, std::vector<int32_t> segment) override {
    const RnnConfig& config = model_.config();
    auto state = std::make_unique<RnnState>();
    // The decoder's first states are made from the encoder's last ones.
    std::vector<CellRows> last;
    last.reserve(memory_.last_hidden.size());
    for (size_t l = 0; l < memory_.last_hidden.size(); ++l) {
      last.push_back(State(memory_.last_hidden[l], memory_.last_cell[l]));
    }
    for (size_t l = 0; l < config.decoder_layers; ++l) {
      const CellRows first = Gathered(ctx, model_.FirstState(ctx, l, last), segment);
      state->hidden.emplace_back(first.hidden);
      state->cell.emplace_back(first.cell);
    }
    if (config.input_feeding) state->attended.setZero(static_cast<Eigen::Index>(segment.size()), config.d_model);
    // What each step reads of the source: its keys and values, or one vector.
    memory_.summary = memory_.last_hidden.back();
    if (!config.attends()) {
      memory_.values.resize(0, 0);
    } else if (config.score != StepScore::kDot) {
      memory_.keys = MemoryKeys(ctx, attention_, View(memory_.values), memory_.segments);
    }
    state->memory = std::move(memory_);
    state->segment = std::move(segment);
    return state;
  }

 private:
  const RnnSeq2Seq& model_;
  const StepAttention& attention_;
  std::vector<int32_t> ids_;
  RnnMemory memory_;
  size_t layer_ = 0;
};

// The decoder, one position a step, by the same steps as a search.
class RnnForced : public ForcedPass {
 public:
  RnnForced(const RnnSeq2Seq& model, std::unique_ptr<DecoderState> state, std::vector<int32_t> read)
      : model_(model),
        state_(std::move(state)),
        read_(std::move(read)),
        pieces_(static_cast<RnnState&>(*state_).segment.size()),
        positions_(read_.size() / pieces_.size()),
        rows_(static_cast<Eigen::Index>(read_.size()), static_cast<Eigen::Index>(model.config().d_model)) {}

  bool Step(Context& ctx) override {
    for (size_t h = 0; h < pieces_.size(); ++h) pieces_[h] = read_[h * positions_ + position_];
    const MatrixView step = model_.Step(ctx, pieces_, *state_);
    for (size_t h = 0; h < pieces_.size(); ++h) {
      rows_.row(static_cast<Eigen::Index>(h * positions_ + position_)) = step.row(static_cast<Eigen::Index>(h));
    }
    return ++position_ == positions_;
  }
  ConstMatrixView rows() const override { return View(rows_); }

 private:
  const RnnSeq2Seq& model_;
  std::unique_ptr<DecoderState> state_;
  std::vector<int32_t> read_, pieces_;  // pieces_: those of one step
  size_t positions_;
  Matrix rows_;
  size_t position_ = 0;
};

}  // namespace

std::unique_ptr<EncoderPass> RnnSeq2Seq::Encode(std::vector<int32_t> ids, const Segments& segments) const {
  return std::make_unique<RnnEncoder>(*this, decoder_.attention, std::move(ids), segments);
}

std::unique_ptr<ForcedPass> RnnSeq2Seq::Force(std::unique_ptr<DecoderState> state, std::vector<int32_t> read) const {
  return std::make_unique<RnnForced>(*this, std::move(state), std::move(read));
}

}  // namespace qkv
