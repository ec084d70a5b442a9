#include "core/layers/step_attention.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "core/attention/attend_backward.h"
#include "core/attention/interventions.h"
#include "core/attention/trace.h"
#include "core/base/random.h"
#include "core/base/tape.h"
#include "core/kernels/pairwise_backward.h"
#include "core/layers/embedding.h"

namespace qkv {

extern const Score kDot;

namespace {

// The additive score of queries and keys that have been mapped already.
constexpr ParameterSpec kParameters[] = {{"w_v", ParameterSize::kOne, ParameterSize::kHidden}};

void ReadyMapped(const ScoreInputs& in, Arena&, PreparedScore& out) {
  out.pair_sum = TanhSums;
  if (kTrainable) out.pair_sum_backward = TanhSumsBackward;
  out.pair_weight = in["w_v"].data;
}

void MappedBackward(const ScoreBackward& b) {
  Add(b.mapped_queries, b.to_queries);
  Add(b.mapped_keys, b.to_keys);
  Add({b.pair_weight, 1, b.mapped_keys.dim, b.mapped_keys.dim}, b["w_v"]);
}

ConstHeads One(const float* data, size_t rows, size_t dim) { return Dense(data, 1, rows, dim); }

Heads OneGradient(Tape& tape, const float* x, size_t rows, size_t dim) {
  return Dense(x != nullptr ? tape.Gradient(x) : nullptr, 1, rows, dim);
}

Selection DrawnBy(uint64_t seed) { return {.kind = SelectionKind::kSampled, .seed = seed}; }

// Weights become the largest one alone, the first of equals; weights that are all 0 stay.
void KeepLargest(std::span<float> weights) {
  const auto largest = std::max_element(weights.begin(), weights.end());
  if (largest == weights.end() || *largest <= 0) return;
  for (auto weight = weights.begin(); weight != weights.end(); ++weight) *weight = weight == largest ? 1.0f : 0.0f;
}

size_t Columns(const MatrixView& x) { return static_cast<size_t>(x.cols()); }

}  // namespace

const Score kMappedAdditive = {"additive",
                               "w_v' tanh(q + k)",
                               "Bahdanau et al. 2014",
                               true,
                               kParameters,
                               ReadyMapped,
                               kTrainable ? MappedBackward : nullptr};

void StepAttentionSlots(WeightSlots& slots, const std::string& name, StepAttention& layer, size_t n, size_t m,
                        size_t positions) {
  if (layer.score == StepScore::kGeneral) slots.Add(name + ".W_a", layer.memory.weight, n, m);
  if (layer.score == StepScore::kLocation) slots.Add(name + ".W_a", layer.location, positions, n);
  if (layer.score == StepScore::kAdditive) {
    slots.Add(name + ".W_a", layer.query.weight, n, n);
    slots.Add(name + ".U_a", layer.memory.weight, n, m);
    slots.Add(name + ".v_a", layer.v, n, Start::kMatrix);
  }
  if (layer.window == WindowKind::kLocalP) {
    slots.Add(name + ".W_p", layer.place.weight, n, n);
    slots.Add(name + ".v_p", layer.v_place, n, Start::kMatrix);
  }
}

ConstMatrixView MemoryKeys(Context& ctx, const StepAttention& layer, ConstMatrixView memory, const Segments& segments) {
  if (layer.score == StepScore::kDot) return memory;
  if (layer.score != StepScore::kLocation) return View(Forward(ctx, layer.memory, memory));
  std::vector<int32_t> places(segments.rows());
  for (size_t s = 0; s < segments.size(); ++s) {
    const auto first = places.begin() + static_cast<std::ptrdiff_t>(segments.begin(s));
    std::iota(first, first + static_cast<std::ptrdiff_t>(segments.length(s)), 0);
  }
  return View(EmbedRows(ctx, layer.location, places));
}

AttentionSteps::AttentionSteps(Context& ctx, const StepAttention& layer, const StepMemory& memory, size_t rows)
    : layer_(layer),
      memory_(memory),
      queries_(NewRows(ctx, rows, static_cast<size_t>(memory.keys.cols()))),
      mapped_(layer.score == StepScore::kAdditive ? NewRows(ctx, rows, Columns(queries_)) : MatrixView(queries_)),
      tanh_(NewRows(ctx, layer.window == WindowKind::kLocalP ? rows : 0, Columns(queries_))),
      centres_(NewRows(ctx, layer.window == WindowKind::kLocalP ? rows : 0, 1)),
      context_(NewRows(ctx, rows, static_cast<size_t>(memory.values.cols()))),
      v_{"w_v", One(layer.v.data(), 1, static_cast<size_t>(layer.v.size()))},
      map_(ctx, layer.query, MatrixView(queries_), MatrixView(mapped_)),
      place_(ctx, layer.place, MatrixView(queries_), MatrixView(tanh_)) {}

// The choices for row `row`. They also hold for the following rows of the same segment, if the window does not move
// with the step.
Attention AttentionSteps::Choices(size_t row, size_t step) const {
  Attention attention;
  attention.score = layer_.score == StepScore::kAdditive ? &kMappedAdditive : &kDot;
  if (layer_.score == StepScore::kAdditive) attention.parameters = {&v_, 1};
  attention.window.kind = layer_.window;
  attention.window.half_width = layer_.half_width;
  if (layer_.hard) attention.selection.kind = SelectionKind::kArgmax;
  attention.mask.first_query = step;
  attention.in_place = true;
  if (layer_.window == WindowKind::kLocalP) attention.window.centres = One(centres_.data() + row, 1, 1);
  return attention;
}

// Rows of queries from `row` on, and the keys and values of the memory from `first_key` on.
AttentionInputs AttentionSteps::Inputs(size_t row, size_t count, size_t first_key, size_t keys) const {
  const size_t dim = Columns(queries_), values = static_cast<size_t>(memory_.values.cols());
  return {One(mapped_.data() + row * dim, count, dim), One(memory_.keys.data() + first_key * dim, keys, dim),
          One(memory_.values.data() + first_key * values, keys, values)};
}

void AttentionSteps::Run(Context& ctx, size_t first, ConstMatrixView queries, std::span<const int32_t> segment,
                         size_t step) {
  // The queries of this step, mapped if the score maps them, and the centres of their windows.
  const auto count = static_cast<size_t>(queries.rows());
  CopyRows(ctx, queries, {}, MatrixView(queries_), first);
  if (layer_.score == StepScore::kAdditive) map_.Run(ctx, first, count);
  if (layer_.window == WindowKind::kLocalP) {
    place_.Run(ctx, first, count, Activation::kTanh);
    Place(ctx, first, count, segment);
  }
  Context plain = ctx;  // recorded by this function, not by the inner calls
  plain.tape = nullptr;
  // Hard attention draws a key while it is trained. Each row has a seed, from which the backward repeats the draw.
  const size_t m = Columns(context_);
  const bool draws = layer_.hard && ctx.Recording() != nullptr && ctx.random != nullptr;
  std::vector<uint64_t> seeds;
  // Each row attends in its own segment of the memory.
  for (size_t r = 0; r < count; ++r) {
    const size_t s = segment.empty() ? r : static_cast<size_t>(segment[r]), keys = memory_.segments.length(s);
    AttentionRecord record;
    // A trace has one sentence; its weights of this step are row `step` of the map.
    if (ctx.trace != nullptr) {
      assert(count == 1);
      record.weights = ctx.trace->Weights({AttentionKind::kCross, 0});
      if (record.weights != nullptr) record.weights += step * keys;
      if (float* centres = ctx.trace->Centres()) record.centres = centres + step;
    }
    Attention attention = Choices(first + r, step);
    if (draws) attention.selection = DrawnBy(seeds.emplace_back(ctx.random->Next()));
    // An intervention changes the logits; hard attention then takes the largest weight.
    const auto change = [&](size_t head, size_t query, KeyRange seen, float* row) {
      const ChangedRow changed = {{AttentionKind::kCross, 0}, head, query, seen.begin, {row + seen.begin, seen.size()}};
      const bool is_given = ctx.interventions->ChangedSoftmax(s, first + r, changed);
      if (layer_.hard) KeepLargest(changed.logits);
      return is_given;
    };
    const CustomSelection selection = change;
    if (ctx.interventions != nullptr) attention.custom_selection = &selection;
    Attend(plain, attention, Inputs(first + r, 1, memory_.segments.begin(s), keys),
           Dense(context_.data() + (first + r) * m, 1, 1, m), record);
  }
  // The backward.
  if (draws) {
    RecordDraws(ctx, first, Choices(first, step), seeds);
  } else if (ctx.Recording() != nullptr) {
    RecordStep(ctx, first, count, Choices(first, step));
  }
}

// p = PlaceOf(v_p' tanh(W_p h), S), where StepLinear has computed tanh(W_p h) already.
void AttentionSteps::Place(Context& ctx, size_t first, size_t count, std::span<const int32_t> segment) {
  const size_t n = Columns(tanh_);
  std::vector<double> lengths;
  // v_p' u of each row in double precision, u = tanh(W_p h).
  for (size_t r = 0; r < count; ++r) {
    const size_t s = segment.empty() ? r : static_cast<size_t>(segment[r]);
    lengths.push_back(static_cast<double>(memory_.segments.length(s)));
    const float* u = tanh_.data() + (first + r) * n;
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += static_cast<double>(layer_.v_place.data()[i]) * u[i];
    centres_.data()[first + r] = static_cast<float>(PlaceOf(sum, lengths.back()));
  }
  // d_u += d_p p (1 - p / S) v_p, and v_p's gradient with u in its place. W_p's is StepLinear's.
  Tape* tape = ctx.Recording();
  if (tape == nullptr) return;
  tape->Record(View(centres_), [tape, lengths, v = layer_.v_place.data(), u = tanh_.data() + first * n,
                                p = centres_.data() + first, n] {
    const float* d_p = tape->Gradient(p);
    float *d_u = tape->Gradient(u), *d_v = tape->Gradient(v);
    for (size_t r = 0; r < lengths.size(); ++r) {
      const auto slope = static_cast<float>(d_p[r] * PlaceSlope(p[r], lengths[r]));
      for (size_t i = 0; i < n; ++i) {
        d_u[r * n + i] += slope * v[i];
        if (d_v != nullptr) d_v[i] += slope * u[r * n + i];
      }
    }
  });
}

namespace {

// What the backward of some rows of a step reads, and the addresses by which the tape knows it.
struct StepRows {
  Attention attention;
  AttentionInputs in;
  Segments queries, keys;
  const float *v, *centres, *context;
};

// d loss / d weight of a row: the context's gradient times each value.
void RecordWeightGradients(Tape& tape, const StepRows& rows, const float* d_context) {
  const size_t step = rows.attention.mask.first_query, keys = rows.keys.rows(), dim = rows.in.value.dim;
  float* to = tape.weight_gradients->Weights({AttentionKind::kCross, 0});
  if (to == nullptr) return;
  to += step * keys;
  for (size_t j = 0; j < keys; ++j) {
    to[j] = std::inner_product(d_context, d_context + dim, rows.in.value.data + j * dim, 0.0f);
  }
}

// `likelihood` and `entropy`: as in AttentionLoss.
void StepBackward(Context& ctx, const StepRows& rows, const float* likelihood = nullptr,
                  const float* entropy = nullptr) {
  Tape& tape = *ctx.tape;
  const AttentionInputs& in = rows.in;
  // The parameters of the forward.
  const size_t count = rows.queries.rows();
  Attention attention = rows.attention;
  const Parameter w_v = {"w_v", One(rows.v, 1, in.key.dim)};
  const ParameterGradient d_v = {"w_v", OneGradient(tape, rows.v, 1, in.key.dim)};
  if (rows.v != nullptr) attention.parameters = {&w_v, 1};
  if (rows.centres != nullptr) attention.window.centres = One(rows.centres, count, 1);
  // The gradients that arrive: of the contexts, and of a draw's likelihood and entropy.
  AttentionLoss loss;
  loss.output = OneGradient(tape, rows.context, count, in.value.dim);
  loss.log_likelihood = likelihood;
  loss.entropy = entropy;
  if (tape.weight_gradients != nullptr) RecordWeightGradients(tape, rows, loss.output.data);
  // Where the gradients go: to queries, keys, values, and to the parameters that there are.
  AttentionGradients to = {OneGradient(tape, in.query.data, count, in.query.dim),
                           OneGradient(tape, in.key.data, in.key.rows, in.key.dim),
                           OneGradient(tape, in.value.data, in.value.rows, in.value.dim)};
  if (rows.v != nullptr) to.parameters = {&d_v, 1};
  if (rows.centres != nullptr) to.centres = OneGradient(tape, rows.centres, count, 1);
  AttendSegmentsBackward(ctx, attention, in, rows.queries, rows.keys, loss, to);
}

}  // namespace

// Row r attends to segment r of the memory.
void AttentionSteps::RecordStep(Context& ctx, size_t first, size_t count, const Attention& step) {
  Segments queries, keys;
  for (size_t r = 0; r < count; ++r) {
    queries.Add(1);
    keys.Add(memory_.segments.length(r));
  }
  const StepRows rows = {step,
                         Inputs(first, count, 0, keys.rows()),
                         queries,
                         keys,
                         layer_.score == StepScore::kAdditive ? layer_.v.data() : nullptr,
                         layer_.window == WindowKind::kLocalP ? centres_.data() + first : nullptr,
                         Part(View(context_), first, count).data()};
  ctx.tape->Record(View(context_), [ctx, rows]() mutable { StepBackward(ctx, rows); });
}

// The same if each row drew a key by its own seed. The values that were read get their gradients as in RecordStep; the
// scores get theirs from the rewards alone.
void AttentionSteps::RecordDraws(Context& ctx, size_t first, const Attention& step, std::span<const uint64_t> seeds) {
  struct Draw {
    StepRows rows;
    size_t target;
  };
  // Each row is recorded by itself, with the seed from which the backward draws the same key again.
  std::vector<Draw> draws;
  for (size_t r = 0; r < seeds.size(); ++r) {
    const size_t keys = memory_.segments.length(r);
    Draw& draw = draws.emplace_back();
    draw.rows = {step,
                 Inputs(first + r, 1, memory_.segments.begin(r), keys),
                 Segments::One(1),
                 Segments::One(keys),
                 layer_.score == StepScore::kAdditive ? layer_.v.data() : nullptr,
                 nullptr,
                 Part(View(context_), first + r, 1).data()};
    draw.rows.attention.selection = DrawnBy(seeds[r]);
    draw.target = static_cast<size_t>(target_rows_[first + r]);
  }
  // The rewards are known when the loss is, so the backward reads them there.
  ctx.tape->choices.draws = true;
  ctx.tape->Record(View(context_), [ctx, draws]() mutable {
    const Tape::Choices& choices = ctx.tape->choices;
    for (const Draw& draw : draws) {
      StepBackward(ctx, draw.rows, &choices.likelihood[draw.target], &choices.entropy);
    }
  });
}

}  // namespace qkv
