#include "core/models/rnn_seq2seq.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <string>
#include <utility>

#include "core/layers/dropout.h"
#include "core/layers/embedding.h"
#include "core/models/slots.h"

namespace qkv {
namespace {

ConstMatrixView NoRows() { return {nullptr, 0, 0}; }

void Reseat(ConstMatrixView& view, ConstMatrixView to) { new (&view) ConstMatrixView(to); }

CellRows State(const Matrix& hidden, const Matrix& cell) {
  return {View(hidden), cell.size() != 0 ? View(cell) : NoRows()};
}

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

RnnSeq2Seq::RnnSeq2Seq(const RnnConfig& config)
    : config_(config),
      encoder_(config.encoder_layers),
      bridges_(config.copies_states() ? 0 : config.decoder_layers),
      decoder_(config.decoder_layers) {
  for (RecurrentLayer& layer : encoder_) {
    layer.forward.kind = layer.backward.kind = config.cell;
    layer.bidirectional = config.bidirectional;
    layer.reversed = config.reverse_source;
  }
  for (RecurrentCell& cell : decoder_) cell.kind = config.cell;
  self_.heads = std::max<size_t>(config.self_attention_heads, 1);
  attention_.score = config.score;
  attention_.window = config.window;
  attention_.half_width = config.half_width;
}

WeightSlots RnnSeq2Seq::Slots() {
  WeightSlots slots;
  const size_t d = config_.d_model, e = config_.d_embedding, m = config_.memory(), vocabulary = config_.vocabulary;
  const auto table = [&](const char* name, Weight& to, size_t columns) {
    slots.slots.push_back({{name}, vocabulary, columns, &to, false, Start::kEmbedding});
  };
  table(config_.shared_embeddings ? "embedding.weight" : "encoder.embedding.weight", source_, e);
  if (!config_.shared_embeddings) table("decoder.embedding.weight", target_, e);
  if (!config_.tied_output) slots.Add("output.weight", output_, vocabulary, d);
  slots.Add("output.bias", logits_bias_, vocabulary);
  for (size_t l = 0; l < encoder_.size(); ++l) {
    const size_t inputs = l == 0 ? e : m;
    CellSlots(slots, "encoder.rnn", "l" + std::to_string(l), encoder_[l].forward, d, inputs);
    if (!config_.bidirectional) continue;
    CellSlots(slots, "encoder.rnn", "l" + std::to_string(l) + "_reverse", encoder_[l].backward, d, inputs);
  }
  if (config_.self_attention_heads != 0) {
    const std::string name = "encoder.self_attn";
    AddLinear(slots, name + ".q_proj", self_.query, m, m);
    AddLinear(slots, name + ".k_proj", self_.key, m, m);
    AddLinear(slots, name + ".v_proj", self_.value, m, m);
    AddLinear(slots, name + ".out_proj", self_.output, m, m);
    slots.Add(name + "_layer_norm.weight", self_norm_.gain, m, Start::kOnes);
    slots.Add(name + "_layer_norm.bias", self_norm_.bias, m);
  }
  for (size_t l = 0; l < bridges_.size(); ++l) {
    const std::string name = "bridge." + std::to_string(l);
    AddLinear(slots, name + ".hidden", bridges_[l].hidden, d, m);
    if (config_.cell == CellKind::kLstm) AddLinear(slots, name + ".cell", bridges_[l].cell, d, m);
  }
  for (size_t l = 0; l < decoder_.size(); ++l) {
    CellSlots(slots, "decoder.rnn", "l" + std::to_string(l), decoder_[l], d, l == 0 ? e : d);
  }
  if (config_.fed() != 0) slots.Add("decoder.rnn.C", feed_.weight, GatesOf(config_.cell) * d, config_.fed());
  if (config_.attends()) StepAttentionSlots(slots, "decoder.attention", attention_, d, m, config_.max_positions);
  if (config_.joined() != 0) {
    slots.Add(config_.attends_before() ? "decoder.W_o" : "decoder.W_c", join_.weight, d, config_.joined());
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
  const Operand in(x);
  MatrixView keys = Forward(ctx, self_.key, in), values = Forward(ctx, self_.value, in);
  std::vector<AttendedSegment> parts;
  for (size_t s = 0; s < segments.size(); ++s) {
    const size_t at = segments.begin(s) * static_cast<size_t>(x.cols());
    parts.push_back({.first_row = segments.begin(s),
                     .rows = segments.length(s),
                     .keys = keys.data() + at,
                     .values = values.data() + at,
                     .length = segments.length(s)});
  }
  MatrixView attended = Forward(ctx, self_, in, parts, {AttentionKind::kEncoderSelf, 0});
  Dropout(ctx, config_.dropout, attended);
  return AddNorm(ctx, self_norm_, x, View(attended));
}

// h_0 = tanh(W h + b), as Bahdanau's s_0, and c_0 = W c + b, of the encoder's layer below or its last one.
CellRows RnnSeq2Seq::FirstState(Context& ctx, size_t layer, std::span<const CellRows> last) const {
  const CellRows& from = last[std::min(layer, last.size() - 1)];
  if (bridges_.empty()) return from;
  const Bridge& bridge = bridges_[layer];
  return {View(Forward(ctx, bridge.hidden, from.hidden, Activation::kTanh)),
          from.cell.size() != 0 ? View(Forward(ctx, bridge.cell, from.cell)) : NoRows()};
}

// The decoder over some steps: all of them in learning, one in decoding. Its parts are called step after step, or for
// all steps at once as far as no step waits for the one before.
class RnnSeq2Seq::Steps {
 public:
  // What a step begins with: the layers' states, and h~ where it is fed.
  struct Before {
    std::vector<CellRows> layers;
    ConstMatrixView attended = NoRows();
  };

  // x [rows, e]: the embedded pieces, which are not written.
  Steps(Context& ctx, const RnnSeq2Seq& model, MatrixView x, const std::optional<StepMemory>& memory)
      : config_(model.config_),
        rows_(static_cast<size_t>(x.rows())),
        x_(x.data(), x.rows(), x.cols()),
        layers_(model.decoder_.size()) {
    const size_t d = config_.d_model, gates = GatesOf(config_.cell) * d;
    first_.emplace(NewRows(ctx, rows_, gates));
    StepLinear(ctx, model.decoder_[0].input, x, *first_).Run(ctx, 0, rows_);
    if (memory) attention_.emplace(ctx, model.attention_, *memory, rows_);
    if (config_.fed() != 0) {
      fed_.emplace(config_.attends_before() ? attention_->context() : NewRows(ctx, rows_, config_.fed()));
      feed_.emplace(ctx, model.feed_, *fed_, *first_, StepLinear::Write::kAdd);
    }
    for (size_t l = 0; l < layers_.size(); ++l) {
      const MatrixView products = l == 0 ? *first_ : NewRows(ctx, rows_, gates);
      if (l > 0) {
        layers_[l].input.emplace(NewRows(ctx, rows_, d));
        layers_[l].linear.emplace(ctx, model.decoder_[l].input, *layers_[l].input, products);
      }
      layers_[l].cell.emplace(ctx, model.decoder_[l], products);
    }
    if (config_.joined() != 0) {
      joined_.emplace(NewRows(ctx, rows_, config_.joined()));
      output_.emplace(NewRows(ctx, rows_, d));
      join_.emplace(ctx, model.join_, *joined_, *output_);
    }
  }

  // No step's input waits for what the step before gave, but through the layers' own states.
  bool at_once() const { return !config_.attends_before() && !config_.input_feeding; }

  // What is read beside the pieces, `rows` of it from `first` on.
  void Feed(Context& ctx, size_t first, ConstMatrixView rows) {
    CopyRows(ctx, rows, {}, *fed_, first);
    AddFed(ctx, first, static_cast<size_t>(rows.rows()));
  }
  // All of layer l's input.
  void ReadLayer(Context& ctx, size_t l, size_t first, size_t count) {
    if (l == 0) return;
    MatrixView input = *layers_[l].input;
    CopyRows(ctx, Part(View(layers_[l - 1].cell->hidden()), first, count), {}, input, first);
    Dropout(ctx, config_.dropout, Part(input, first, count), View(input));
    layers_[l].linear->Run(ctx, first, count);
  }
  void RunLayer(Context& ctx, size_t l, size_t first, const CellRows& before) {
    layers_[l].cell->Run(ctx, first, before);
  }
  void AttendAfter(Context& ctx, size_t first, size_t count, std::span<const int32_t> segment, size_t step) {
    attention_->Run(ctx, first, Part(View(layers_.back().cell->hidden()), first, count), segment, step);
  }
  void Join(Context& ctx, size_t first, size_t count) {
    if (!joined_) return;
    const size_t m = config_.memory(), d = config_.d_model;
    CopyRows(ctx, Part(View(attention_->context()), first, count), {}, *joined_, first, 0);
    CopyRows(ctx, Part(View(layers_.back().cell->hidden()), first, count), {}, *joined_, first, m);
    if (config_.output_context) CopyRows(ctx, Part(View(x_), first, count), {}, *joined_, first, m + d);
    join_->Run(ctx, first, count, Activation::kTanh);
  }

  // One step in its order. `segment` as in AttentionSteps::Run.
  void Run(Context& ctx, size_t first, size_t count, const Before& before, std::span<const int32_t> segment,
           size_t step) {
    if (config_.attends_before()) {
      attention_->Run(ctx, first, before.layers.back().hidden, segment, step);
      AddFed(ctx, first, count);
    }
    if (config_.input_feeding) Feed(ctx, first, before.attended);
    for (size_t l = 0; l < layers_.size(); ++l) {
      ReadLayer(ctx, l, first, count);
      RunLayer(ctx, l, first, before.layers[l]);
    }
    if (config_.variant == RnnVariant::kLuong) AttendAfter(ctx, first, count, segment, step);
    Join(ctx, first, count);
  }

  // What the steps leave at [first, first + count).
  CellRows layer(size_t l, size_t first, size_t count) const { return Part(layers_[l].cell->state(), first, count); }
  // What the output is made of, [rows, d].
  ConstMatrixView output() const { return output_ ? View(*output_) : View(layers_.back().cell->hidden()); }

 private:
  void AddFed(Context& ctx, size_t first, size_t count) { feed_->Run(ctx, first, count); }

  const RnnConfig& config_;
  size_t rows_;
  MatrixView x_;
  std::optional<MatrixView> first_, fed_, joined_, output_;
  std::optional<AttentionSteps> attention_;
  std::optional<StepLinear> feed_, join_;
  struct Layer {
    std::optional<MatrixView> input;  // of all but the first
    std::optional<StepLinear> linear;
    std::optional<CellSteps> cell;
  };
  std::vector<Layer> layers_;
};

MatrixView RnnSeq2Seq::Teach(Context& ctx, std::span<const int32_t> source, const Segments& source_segments,
                             std::span<const int32_t> target, const Segments& target_segments) const {
  if (!kTrainable) return {nullptr, 0, 0};
  MatrixView read = EmbedSource(ctx, source);
  std::vector<CellRows> last;
  for (size_t l = 0; l < encoder_.size(); ++l) {
    const RecurrentOutput out = EncoderLayer(ctx, l, View(read), source_segments);
    last.push_back(out.last);
    new (&read) MatrixView(out.rows);
  }
  if (config_.self_attention_heads != 0) new (&read) MatrixView(SelfAttend(ctx, View(read), source_segments));

  // From here on sentences are in the order of the targets' lengths, and so is the memory.
  const StepOrder order(target_segments);
  std::vector<int32_t> rows, ids(target.size());
  Segments segments;
  for (const int32_t s : order.segments()) {
    const auto at = static_cast<size_t>(s);
    for (size_t row = source_segments.begin(at); row < source_segments.end(at); ++row) {
      rows.push_back(static_cast<int32_t>(row));
    }
    segments.Add(source_segments.length(at));
  }
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = target[static_cast<size_t>(order.packed()[i])];
  std::optional<StepMemory> memory;
  if (config_.attends()) {
    const ConstMatrixView values = View(GatherRows(ctx, View(read), rows));
    memory.emplace(StepMemory{MemoryKeys(ctx, attention_, values, segments), values, segments});
  }
  MatrixView x = EmbedRows(ctx, target_table(), ids, config_.embedding_scale());
  Dropout(ctx, config_.dropout, x);

  Steps steps(ctx, *this, x, memory);
  Steps::Before start;
  for (size_t l = 0; l < decoder_.size(); ++l) {
    start.layers.push_back(Gathered(ctx, FirstState(ctx, l, last), order.segments()));
  }
  MatrixView zeros = ctx.New(start.layers[0].hidden.rows(), static_cast<Eigen::Index>(config_.d_model));
  zeros.setZero();
  Reseat(start.attended, View(zeros));
  const auto before = [&](size_t step, size_t l) {
    const size_t count = order.count(step);
    return step == 0 ? Part(start.layers[l], 0, count) : steps.layer(l, order.first(step - 1), count);
  };
  if (steps.at_once()) {
    if (config_.fed() != 0) {  // every step gets the encoder's last state
      std::vector<int32_t> of(ids.size());
      for (size_t step = 0; step < order.steps(); ++step) {
        std::copy_n(order.segments().begin(), order.count(step),
                    of.begin() + static_cast<std::ptrdiff_t>(order.first(step)));
      }
      steps.Feed(ctx, 0, View(GatherRows(ctx, last.back().hidden, of)));
    }
    for (size_t l = 0; l < decoder_.size(); ++l) {
      steps.ReadLayer(ctx, l, 0, order.rows());
      for (size_t step = 0; step < order.steps(); ++step) steps.RunLayer(ctx, l, order.first(step), before(step, l));
    }
    for (size_t step = 0; step < order.steps() && config_.attends(); ++step) {
      steps.AttendAfter(ctx, order.first(step), order.count(step), {}, step);
    }
    steps.Join(ctx, 0, order.rows());
  } else {
    for (size_t step = 0; step < order.steps(); ++step) {
      const size_t count = order.count(step);
      Steps::Before now;
      for (size_t l = 0; l < decoder_.size(); ++l) now.layers.push_back(before(step, l));
      Reseat(now.attended,
             step == 0 ? Part(start.attended, 0, count) : Part(steps.output(), order.first(step - 1), count));
      steps.Run(ctx, order.first(step), count, now, {}, step);
    }
  }
  MatrixView output = GatherRows(ctx, steps.output(), order.by_steps());
  Dropout(ctx, config_.dropout, output);
  return output;
}

MatrixView RnnSeq2Seq::Logits(Context& ctx, ConstMatrixView x, std::span<const int32_t> pieces) const {
  return PieceLogits(ctx, output_table(), logits_bias_, x, pieces);
}

MatrixView RnnSeq2Seq::Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& opaque) const {
  auto& state = static_cast<RnnState&>(opaque);
  assert(tokens.size() == state.segment.size() && ctx.Recording() == nullptr);
  const RnnMemory& read = state.memory;
  std::optional<StepMemory> memory;
  if (config_.attends()) {
    memory.emplace(StepMemory{View(read.keys.size() != 0 ? read.keys : read.values), View(read.values), read.segments});
  }
  Steps steps(ctx, *this, EmbedRows(ctx, target_table(), tokens, config_.embedding_scale()), memory);
  Steps::Before before;
  for (size_t l = 0; l < decoder_.size(); ++l) before.layers.push_back(State(state.hidden[l], state.cell[l]));
  Reseat(before.attended, View(state.attended));
  if (!config_.attends() && config_.fed() != 0) {
    steps.Feed(ctx, 0, View(GatherRows(ctx, View(read.summary), state.segment)));
  }
  steps.Run(ctx, 0, tokens.size(), before, state.segment, state.length);
  for (size_t l = 0; l < decoder_.size(); ++l) {
    const CellRows after = steps.layer(l, 0, tokens.size());
    state.hidden[l] = after.hidden;
    if (after.cell.size() != 0) state.cell[l] = after.cell;
  }
  if (config_.input_feeding) state.attended = steps.output();
  ++state.length;
  MatrixView output = ctx.New(steps.output().rows(), steps.output().cols());
  output = steps.output();
  return output;
}

void RnnSeq2Seq::Gather(std::span<const int32_t> hypotheses, DecoderState& opaque) const {
  auto& state = static_cast<RnnState&>(opaque);
  std::vector<int32_t> segment;
  for (const int32_t h : hypotheses) segment.push_back(state.segment[static_cast<size_t>(h)]);
  state.segment.swap(segment);
  for (size_t l = 0; l < decoder_.size(); ++l) {
    GatherIn(state.hidden[l], hypotheses);
    GatherIn(state.cell[l], hypotheses);
  }
  GatherIn(state.attended, hypotheses);
}

namespace {

// The encoder, a layer a step.
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

// The decoder, a position a step: the very steps of a search.
class RnnForced : public ForcedPass {
 public:
  RnnForced(const RnnSeq2Seq& model, std::unique_ptr<DecoderState> state, std::vector<int32_t> read)
      : model_(model),
        state_(std::move(state)),
        read_(std::move(read)),
        rows_(static_cast<Eigen::Index>(read_.size()), static_cast<Eigen::Index>(model.config().d_model)) {}

  bool Step(Context& ctx) override {
    const MatrixView row = model_.Step(ctx, {&read_[position_], 1}, *state_);
    rows_.row(static_cast<Eigen::Index>(position_)) = row.row(0);
    return ++position_ == read_.size();
  }
  ConstMatrixView rows() const override { return View(rows_); }

 private:
  const RnnSeq2Seq& model_;
  std::unique_ptr<DecoderState> state_;
  std::vector<int32_t> read_;
  Matrix rows_;
  size_t position_ = 0;
};

}  // namespace

std::unique_ptr<EncoderPass> RnnSeq2Seq::Encode(std::vector<int32_t> ids, const Segments& segments) const {
  return std::make_unique<RnnEncoder>(*this, attention_, std::move(ids), segments);
}

std::unique_ptr<ForcedPass> RnnSeq2Seq::Force(std::unique_ptr<DecoderState> state, std::vector<int32_t> read) const {
  return std::make_unique<RnnForced>(*this, std::move(state), std::move(read));
}

}  // namespace qkv
