#include "core/models/rnn_steps.h"

#include "core/layers/dropout.h"

namespace qkv {

RnnSteps::RnnSteps(Context& ctx, const RnnConfig& config, const RnnDecoder& decoder, MatrixView x,
                   const std::optional<StepMemory>& memory)
    : config_(config),
      rows_(static_cast<size_t>(x.rows())),
      x_(x.data(), x.rows(), x.cols()),
      layers_(decoder.layers.size()) {
  // W x for the gates of the first layer, for all rows. The pieces are known, so this does not wait for a step.
  const size_t d = config_.d_model, gates = GatesOf(config_.cell) * d;
  first_.emplace(NewRows(ctx, rows_, gates));
  StepLinear(ctx, decoder.layers[0].input, x, *first_).Run(ctx, 0, rows_);
  // The attention, and what it feeds into the first layer: C c_t, or C h~ of the step before, added to W x.
  if (memory) attention_.emplace(ctx, decoder.attention, *memory, rows_);
  if (config_.fed() != 0) {
    fed_.emplace(config_.attends_before() ? attention_->context() : NewRows(ctx, rows_, config_.fed()));
    feed_.emplace(ctx, decoder.feed, *fed_, *first_, StepLinear::Write::kAdd);
  }
  // Each further layer reads the states of the layer below.
  for (size_t l = 0; l < layers_.size(); ++l) {
    const MatrixView products = l == 0 ? *first_ : NewRows(ctx, rows_, gates);
    if (l > 0) {
      layers_[l].input.emplace(NewRows(ctx, rows_, d));
      layers_[l].linear.emplace(ctx, decoder.layers[l].input, *layers_[l].input, products);
    }
    layers_[l].cell.emplace(ctx, decoder.layers[l], products);
  }
  // The output of a step: tanh(W [c; h]), or of [c; h; x].
  if (config_.joined() != 0) {
    joined_.emplace(NewRows(ctx, rows_, config_.joined()));
    output_.emplace(NewRows(ctx, rows_, d));
    join_.emplace(ctx, decoder.join, *joined_, *output_);
  }
}

void RnnSteps::Feed(Context& ctx, size_t first, ConstMatrixView rows) {
  CopyRows(ctx, rows, {}, *fed_, first);
  feed_->Run(ctx, first, static_cast<size_t>(rows.rows()));
}

// The rows are copied, because dropout changes the rows that the next layer reads, not the states.
void RnnSteps::ReadLayer(Context& ctx, size_t l, size_t first, size_t count) {
  if (l == 0) return;
  MatrixView input = *layers_[l].input;
  CopyRows(ctx, Part(View(layers_[l - 1].cell->hidden()), first, count), {}, input, first);
  Dropout(ctx, config_.dropout, Part(input, first, count), View(input));
  layers_[l].linear->Run(ctx, first, count);
}

void RnnSteps::AttendAfter(Context& ctx, size_t first, size_t count, std::span<const int32_t> segment, size_t step) {
  attention_->Run(ctx, first, Part(View(layers_.back().cell->hidden()), first, count), segment, step);
}

void RnnSteps::Join(Context& ctx, size_t first, size_t count) {
  if (!joined_) return;
  const size_t m = config_.memory(), d = config_.d_model;
  CopyRows(ctx, Part(View(attention_->context()), first, count), {}, *joined_, first, 0);
  CopyRows(ctx, Part(View(layers_.back().cell->hidden()), first, count), {}, *joined_, first, m);
  if (config_.output_context) CopyRows(ctx, Part(View(x_), first, count), {}, *joined_, first, m + d);
  join_->Run(ctx, first, count, Activation::kTanh);
}

void RnnSteps::Run(Context& ctx, size_t first, size_t count, const Before& before, std::span<const int32_t> segment,
                   size_t step) {
  // Bahdanau et al. 2014: the query is the state before the step, and the context is an input of the cell.
  if (config_.attends_before()) {
    attention_->Run(ctx, first, before.layers.back().hidden, segment, step);
    feed_->Run(ctx, first, count);
  }
  // Luong et al. 2015, section 3.3: h~ of the step before is an input of the cell.
  if (config_.input_feeding) Feed(ctx, first, before.attended);
  for (size_t l = 0; l < layers_.size(); ++l) {
    ReadLayer(ctx, l, first, count);
    layers_[l].cell->Run(ctx, first, before.layers[l]);
  }
  // Luong et al. 2015: the query is the new state.
  if (config_.variant == RnnVariant::kLuong) AttendAfter(ctx, first, count, segment, step);
  Join(ctx, first, count);
}

CellRows RnnSteps::Previous(const StepOrder& order, const Before& start, size_t step, size_t l) const {
  const size_t count = order.count(step);
  return step == 0 ? Part(start.layers[l], 0, count) : layer(l, order.first(step - 1), count);
}

void RnnSteps::RunAll(Context& ctx, const StepOrder& order, const Before& start) {
  // A step needs the outputs of the one before: all layers of a step, then the next step.
  if (attention_) attention_->set_target_rows(order.packed());
  if (!at_once()) {
    for (size_t step = 0; step < order.steps(); ++step) {
      const size_t count = order.count(step);
      Before now;
      for (size_t l = 0; l < layers_.size(); ++l) now.layers.push_back(Previous(order, start, step, l));
      Rebind(now.attended, step == 0 ? Part(start.attended, 0, count) : Part(output(), order.first(step - 1), count));
      Run(ctx, order.first(step), count, now, {}, step);
    }
    return;
  }
  for (size_t l = 0; l < layers_.size(); ++l) {
    ReadLayer(ctx, l, 0, order.rows());
    for (size_t step = 0; step < order.steps(); ++step) {
      layers_[l].cell->Run(ctx, order.first(step), Previous(order, start, step, l));
    }
  }
  for (size_t step = 0; step < order.steps() && config_.attends(); ++step) {
    AttendAfter(ctx, order.first(step), order.count(step), {}, step);
  }
  Join(ctx, 0, order.rows());
}

}  // namespace qkv
