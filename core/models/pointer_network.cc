#include "core/models/pointer_network.h"

#include <cassert>
#include <type_traits>

#include "core/attention/likelihood.h"
#include "core/layers/step_attention.h"

namespace qkv {

PointerNetwork::PointerNetwork(const PointerConfig& config) : config_(config) {
  assert(!config.bidirectional || config.d % 2 == 0);
  encoder_.bidirectional = config.bidirectional;
  encoder_.forward.kind = encoder_.backward.kind = decoder_.kind = config.cell;
}

WeightSlots PointerNetwork::Slots() {
  WeightSlots slots;
  const size_t d = config_.d, each = config_.bidirectional ? d / 2 : d;
  CellSlots(slots, "encoder.rnn", "l0", encoder_.forward, each, config_.inputs);
  if (config_.bidirectional) CellSlots(slots, "encoder.rnn", "l0_reverse", encoder_.backward, each, config_.inputs);
  CellSlots(slots, "decoder.rnn", "l0", decoder_, d, config_.inputs);
  slots.Add("decoder.start", start_, config_.inputs, Start::kMatrix);
  slots.Add("decoder.attention.W_1", keys_.weight, d, d);
  slots.Add("decoder.attention.W_2", query_.weight, d, d);
  slots.Add("decoder.attention.v", v_, d, Start::kMatrix);
  return slots;
}

namespace {

// The additive score's parameter in the arena, where the tape's backward finds it too.
std::span<const Parameter> InArena(Context& ctx, const Vector& v) {
  static_assert(std::is_trivially_destructible_v<Parameter> && alignof(Parameter) <= kCacheLine);
  void* const at = ctx.arena.Floats(sizeof(Parameter) / sizeof(float) + 1);
  return {new (at) Parameter{"w_v", Dense(v.data(), 1, 1, static_cast<size_t>(v.size()))}, 1};
}

ConstHeads One(const MatrixView& x) {
  return Dense<const float>(x.data(), 1, static_cast<size_t>(x.rows()), static_cast<size_t>(x.cols()));
}

}  // namespace

Attention PointerNetwork::Choices(Context& ctx) const {
  Attention attention;
  attention.score = &kMappedAdditive;
  attention.parameters = InArena(ctx, v_);
  return attention;
}

MatrixView PointerNetwork::ForwardForTraining(Context& ctx, ConstMatrixView points, const Segments& segments,
                                              std::span<const int32_t> choices, const Segments& choice_segments) const {
  // The encoder reads the points.
  const RecurrentOutput read = Forward(ctx, encoder_, points, segments);
  const StepOrder order(choice_segments);
  // The row of `points` that each choice names.
  std::vector<int32_t> named(choices.begin(), choices.end());
  for (size_t s = 0; s < choice_segments.size(); ++s) {
    for (size_t row = choice_segments.begin(s); row < choice_segments.end(s); ++row) {
      named[row] += static_cast<int32_t>(segments.begin(s));
    }
  }
  // The input of each step: the start vector, then the point that was written before.
  MatrixView x = NewRows(ctx, order.rows(), config_.inputs);
  const std::vector<int32_t> starts(order.steps() != 0 ? order.count(0) : 0);
  std::vector<int32_t> before;
  for (size_t i = starts.size(); i < order.rows(); ++i) {
    before.push_back(named[static_cast<size_t>(order.packed()[i]) - 1]);
  }
  if (!starts.empty()) CopyRows(ctx, {start_.data(), 1, start_.size()}, starts, x);
  if (!before.empty()) CopyRows(ctx, points, before, x, starts.size());

  // The decoder starts from the encoder's last state. A step computes the rows of all sequences that are long enough.
  CellSteps steps(ctx, decoder_, Forward(ctx, decoder_.input, View(x)));
  for (size_t step = 0; step < order.steps(); ++step) {
    const CellRows last = step == 0 ? Gathered(ctx, read.last, order.segments()) : steps.state();
    steps.Run(ctx, order.first(step), Part(last, step == 0 ? 0 : order.first(step - 1), order.count(step)));
  }
  // Every choice is a selection among all points of its segment: u = v' tanh(W_1 e + W_2 d) (Vinyals et al. 2015).
  const MatrixView queries = Forward(ctx, query_, View(GatherRows(ctx, steps.state().hidden, order.by_steps())));
  const MatrixView keys = Forward(ctx, keys_, View(read.rows));
  Attention attention = Choices(ctx);
  attention.mask_used = !config_.repeats;
  return Likelihood(ctx, attention, {One(queries), One(keys), {}}, choice_segments, segments, choices.data());
}

std::vector<int32_t> PointerNetwork::Point(Context& ctx, ConstMatrixView points, size_t most, int32_t stop,
                                           float* weights) const {
  // The points are read once.
  const ArenaScope scope(ctx.arena);
  const auto rows = static_cast<size_t>(points.rows());
  const RecurrentOutput read = Forward(ctx, encoder_, points, Segments::One(rows));
  const MatrixView keys = Forward(ctx, keys_, View(read.rows));
  std::vector<uint8_t> allowed(rows, 1);
  Attention attention = Choices(ctx);
  attention.mask.allowed = allowed.data();
  Matrix hidden = read.last.hidden, cell = read.last.cell;
  std::vector<int32_t> chosen;
  // One step: the cell, then the likeliest point that is still allowed.
  while (chosen.size() < most) {
    const ArenaScope of_step(ctx.arena);
    const ConstMatrixView x = chosen.empty() ? ConstMatrixView(start_.data(), 1, start_.size())
                                             : Part(points, static_cast<size_t>(chosen.back()), 1);
    CellSteps step(ctx, decoder_, Forward(ctx, decoder_.input, x));
    step.Run(ctx, 0, {View(hidden), View(cell)});
    const MatrixView query = Forward(ctx, query_, step.state().hidden);
    int32_t next = kNoKey;
    AttentionRecord record;
    record.chosen = &next;
    if (weights != nullptr) record.weights = weights + chosen.size() * rows;
    Attend(ctx, attention, {One(query), One(keys), {}}, {}, record);
    if (next == kNoKey) break;  // no point is left
    // The choice is the next step's input. Without repeats it cannot be chosen again.
    chosen.push_back(next);
    if (next == stop) break;
    if (!config_.repeats) allowed[static_cast<size_t>(next)] = 0;
    hidden = step.state().hidden;
    cell = step.state().cell;
  }
  return chosen;
}

}  // namespace qkv
