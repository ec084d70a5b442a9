#include "core/translate/warm_up.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/decode/beam.h"

namespace qkv {
namespace {

// Small sizes at which every kernel still runs its main loop.
constexpr size_t kWidth = 128, kFeedForward = 256, kHeads = 4, kPieces = 512;
constexpr size_t kSource = 16, kTarget = 12, kListed = 96;  // pieces
// How often the pieces are translated. Measured in Chromium 156: after as many, a translation takes as long as later
// ones.
constexpr size_t kSteps = 24;

TransformerConfig Small(TransformerConfig config) {
  config.d_model = kWidth;
  config.encoder_layers = config.decoder_layers = 1;
  config.encoder_heads = config.decoder_heads = kHeads;
  config.encoder_ffn = config.decoder_ffn = kFeedForward;
  config.source_vocabulary = config.vocabulary = kPieces;
  config.max_positions = 2 * kSource;
  config.end = 0;
  config.pad = config.start = kPieces - 1;
  SetAttentionShapes(config);
  return config;
}

// The pieces [first, first + count).
std::vector<int32_t> Pieces(size_t count, int32_t first) {
  std::vector<int32_t> pieces(count);
  std::iota(pieces.begin(), pieces.end(), first);
  return pieces;
}

void SetZeros(const WeightSlot& slot, Numbers numbers) {
  if (Vector* const* vector = std::get_if<Vector*>(&slot.to)) {
    (*vector)->setZero(static_cast<Eigen::Index>(slot.outputs));
    return;
  }
  Weight& matrix = **std::get_if<Weight*>(&slot.to);
  matrix.Reserve(numbers, slot.outputs, slot.inputs);
  const std::vector<float> floats(slot.inputs);
  const std::vector<int8_t> integers(slot.inputs);
  for (size_t row = 0; row < slot.outputs; ++row) {
    if (numbers == Numbers::kFloat) {
      matrix.floats().SetRow(row, floats.data());
    } else {
      matrix.int8().SetScale(row, 1);
      matrix.int8().SetRow(row, integers.data());
    }
  }
}

}  // namespace

WarmUp::WarmUp(TransformerConfig config, Numbers numbers) : model_(std::make_unique<Transformer>(Small(config))) {
  const WeightSlots slots = model_->Slots();
  for (const WeightSlot& slot : slots.slots) SetZeros(slot, slot.exact ? Numbers::kFloat : numbers);
}

bool WarmUp::Step(Context& ctx) {
  // The encoder.
  const ArenaScope scope(ctx.arena);
  const std::unique_ptr<EncoderPass> encoder = model_->Encode(Pieces(kSource, 1), Segments::One(kSource));
  while (!encoder->Step(ctx)) {
  }
  // A greedy search. All pieces are equally likely, so its pieces are given: it would end at the first one.
  SearchOptions options{.start = model_->config().start, .end = model_->config().end, .prefix = Pieces(kTarget, 1)};
  options.shortlists = {Pieces(kListed, 0)};
  BeamSearch search(*model_, encoder->Start(ctx, {0}), {kTarget + 1}, std::move(options));
  while (!search.Step(ctx)) {
  }
  return ++steps_ >= kSteps;
}

}  // namespace qkv
