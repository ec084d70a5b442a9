// Search with a Transformer: the encoder and the decoder layer by layer, the state of the hypotheses, and the memory of
// a step.
#include <algorithm>
#include <cassert>
#include <utility>

#include "core/layers/scratch.h"
#include "core/models/transformer.h"

namespace qkv {

// An SSRU's cells begin at 0. The memory's keys and values are filled by ProjectMemory.
TransformerState::TransformerState(const TransformerConfig& config, const Segments& source,
                                   std::vector<int32_t> segment_of)
    : self(config.past == Past::kSsru ? 0 : config.decoder_layers, config.d_model, segment_of.size()),
      memory(source),
      segment(std::move(segment_of)) {
  const auto rows = static_cast<Eigen::Index>(memory.rows()), d = static_cast<Eigen::Index>(config.d_model);
  for (size_t layer = 0; layer < config.decoder_layers; ++layer) {
    if (config.past == Past::kSsru) cells.push_back(Matrix::Zero(static_cast<Eigen::Index>(segment.size()), d));
    keys.emplace_back(rows, d);
    values.emplace_back(rows, d);
  }
}

// One layer at a time. It leaves its rows, and each layer of the decoder keeps their keys and values.
MemoryNeed Transformer::PassMemoryNeed(size_t rows, size_t keys, size_t threads) const {
  const uint64_t d = config_.d_model, kept = std::max<uint64_t>(rows, 64) * d * (2 + 2 * config_.decoder_layers);
  return {LayerScratch(rows, d, std::max(config_.encoder_ffn, config_.decoder_ffn), keys, threads),
          kept * sizeof(float)};
}

// All layers: their rows are in the arena at the same time.
MemoryNeed Transformer::StepMemoryNeed(const DecoderState& opaque, size_t rows, size_t threads) const {
  const auto& state = static_cast<const TransformerState&>(opaque);
  const size_t keys = std::max(state.self.length() + 1, state.memory.rows());
  const uint64_t cells = (state.cells.size() + 1) * rows * config_.d_model * sizeof(float);
  return {config_.decoder_layers * LayerScratch(rows, config_.d_model, config_.decoder_ffn, keys, threads),
          state.self.Growth(rows, 1) + (state.cells.empty() ? 0 : cells)};
}

MatrixView Transformer::Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& opaque) const {
  auto& state = static_cast<TransformerState&>(opaque);
  assert(tokens.size() == state.self.hypotheses());
  MatrixView x = EmbedTarget(ctx, tokens, state);
  for (size_t layer = 0; layer < decoder_.size(); ++layer) {
    Rebind(x, DecoderStep(ctx, layer, View(x), state));
  }
  return x;
}

void Transformer::Gather(std::span<const int32_t> hypotheses, DecoderState& opaque) const {
  auto& state = static_cast<TransformerState&>(opaque);
  // Keys and values stay where they are, and paths are copied. Segments and cells are copied too.
  state.self.Gather(hypotheses);
  state.segment_scratch.resize(hypotheses.size());
  for (size_t h = 0; h < hypotheses.size(); ++h) {
    state.segment_scratch[h] = state.segment[static_cast<size_t>(hypotheses[h])];
  }
  state.segment.swap(state.segment_scratch);
  for (Matrix& cells : state.cells) {
    state.cell_scratch.resize(static_cast<Eigen::Index>(hypotheses.size()), cells.cols());
    for (size_t h = 0; h < hypotheses.size(); ++h) {
      std::copy_n(cells.data() + static_cast<size_t>(hypotheses[h]) * config_.d_model, config_.d_model,
                  state.cell_scratch.data() + h * config_.d_model);
    }
    cells.swap(state.cell_scratch);
  }
}

namespace {

// The encoder, one layer a step.
class TransformerEncoder : public EncoderPass {
 public:
  TransformerEncoder(const Transformer& model, std::vector<int32_t> ids, const Segments& segments)
      : model_(model), ids_(std::move(ids)), segments_(segments) {}

  bool Step(Context& ctx) override {
    if (x_.size() == 0) x_ = model_.EmbedSource(ctx, ids_, segments_);
    x_ = model_.EncoderStep(ctx, layer_++, View(x_), segments_);
    return layer_ == model_.config().encoder_layers;
  }
  std::unique_ptr<DecoderState> Start(Context& ctx, std::vector<int32_t> segment) override {
    auto state = std::make_unique<TransformerState>(model_.config(), segments_, std::move(segment));
    for (size_t layer = 0; layer < model_.config().decoder_layers; ++layer) {
      model_.ProjectMemory(ctx, layer, View(x_), *state);
    }
    return state;
  }

 private:
  const Transformer& model_;
  std::vector<int32_t> ids_;
  Segments segments_;
  Matrix x_;
  size_t layer_ = 0;
};

// The decoder, one layer a step.
class TransformerForced : public ForcedPass {
 public:
  TransformerForced(const Transformer& model, std::unique_ptr<DecoderState> state, std::vector<int32_t> read)
      : model_(model), state_(std::move(state)), read_(std::move(read)) {}

  bool Step(Context& ctx) override {
    auto& state = static_cast<TransformerState&>(*state_);
    if (x_.size() == 0) x_ = model_.EmbedTarget(ctx, read_, state);
    x_ = model_.DecoderStep(ctx, layer_++, View(x_), state);
    return layer_ == model_.config().decoder_layers;
  }
  ConstMatrixView rows() const override { return View(x_); }

 private:
  const Transformer& model_;
  std::unique_ptr<DecoderState> state_;
  std::vector<int32_t> read_;
  Matrix x_;
  size_t layer_ = 0;
};

}  // namespace

std::unique_ptr<EncoderPass> Transformer::Encode(std::vector<int32_t> ids, const Segments& segments) const {
  return std::make_unique<TransformerEncoder>(*this, std::move(ids), segments);
}

std::unique_ptr<ForcedPass> Transformer::Force(std::unique_ptr<DecoderState> state, std::vector<int32_t> read) const {
  return std::make_unique<TransformerForced>(*this, std::move(state), std::move(read));
}

}  // namespace qkv
