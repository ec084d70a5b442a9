#include "core/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/random.h"

namespace qkv {
namespace {

// Dropout's streams, apart from those of others that count from the same seed.
constexpr uint64_t kDropoutStream = uint64_t{1} << 32;
// Each batch of an update draws from a place of its own in its step's stream: the masks do not depend on which process
// computes which batch. No batch draws so many words.
constexpr unsigned kDropoutWordsLog2 = 40;

}  // namespace

WeightCopies::WeightCopies(const WeightSlots& like, const std::string& prefix) : slots_(like) {
  for (WeightSlot& slot : slots_.slots) {
    // The same shapes under names of their own, such as adam.first.model.shared.weight.
    slot.names = {prefix.empty() ? slot.names.front() : prefix + "." + slot.names.front()};
    slot.optional = false;
    if (std::holds_alternative<Weight*>(slot.to)) {
      slot.to = matrices_.emplace_back(std::make_unique<Weight>()).get();
    } else {
      slot.to = vectors_.emplace_back(std::make_unique<Vector>()).get();
    }
  }
  slots_.ignored.clear();
  ReserveFloats(slots_);
  // Moments and averages begin at 0.
  parameters_ = std::make_unique<Parameters>(slots_, /*gradients=*/false);
  for (LearntParameter& p : parameters_->all()) std::fill_n(p.value, p.size, 0.0f);
}

Trainer::Trainer(const TrainableModel& trainable, WeightSlots slots, int32_t start, TrainerOptions options,
                 size_t threads)
    : trainable_(trainable),
      options_(options),
      start_(start),
      pool_(threads),
      tape_(options.precision),
      slots_(std::move(slots)),
      parameters_(slots_),
      first_(slots_, "adam.first"),
      second_(slots_, "adam.second"),
      average_(slots_, "average") {
  parameters_.Watch(tape_);
}

// The loss is a mean over the pieces of all batches: each batch adds its gradient divided by their number.
Trainer::Report Trainer::Step(std::span<const Batch> batches) {
  size_t pieces = 0;
  for (const Batch& batch : batches) pieces += batch.target_out.size();
  Begin();
  Loss loss;
  for (size_t i = 0; i < batches.size(); ++i) loss += Pass(batches[i], i, 1 / static_cast<float>(pieces));
  return End(loss);
}

void Trainer::Begin() {
  parameters_.ClearGradients();
  if (pass_weights_) pass_weights_->Set();
}

Loss Trainer::Pass(const Batch& batch, uint64_t number, float scale) {
  // Dropout draws the same masks for a batch wherever and whenever it is computed.
  Random random(options_.seed, kDropoutStream + step_ + 1);
  random.Seek(number << kDropoutWordsLog2);
  Context ctx{.arena = arena_, .pool = pool_, .tape = &tape_, .random = &random};
  return LossPass(ctx, trainable_, batch, static_cast<float>(options_.smoothing), scale);
}

Trainer::Report Trainer::End(const Loss& loss) {
  if (pass_weights_) pass_weights_->Restore();
  // The report to the caller, also if no step is taken.
  Report report;
  report.step = step_ + 1;
  report.rate = RateAt(options_.schedule, report.step);
  report.loss = loss;
  if (start_ != kNoStart) parameters_.ClearStartGradient(static_cast<size_t>(start_));
  // The gradient's norm, over all parameters.
  double squares = 0;
  for (LearntParameter& p : parameters_.all()) squares += SumOfSquares(p.gradient.data(), p.size, pool_);
  report.gradient = std::sqrt(squares);
  report.finite = std::isfinite(report.gradient) && std::isfinite(report.loss.smoothed);
  if (report.finite) Update(report);
  return report;
}

void Trainer::Update(const Report& report) {
  // Adam (Kingma and Ba 2015) with decoupled decay of matrices, and from some step on a running mean of the weights.
  step_ = report.step;
  AdamStep step = AdamStepAt(options_, step_, report.rate, report.gradient);
  const bool average = options_.average_from != 0 && step_ >= options_.average_from &&
                       (step_ - options_.average_from) % std::max<uint64_t>(options_.average_every, 1) == 0;
  averaged_ += average ? 1 : 0;
  for (size_t i = 0; i < parameters_.all().size(); ++i) {
    LearntParameter& p = parameters_.all()[i];
    step.decay = p.matrix ? static_cast<float>(options_.decay) : 0;
    UpdateAdam(step, p.gradient.data(), first_.data(i), second_.data(i), p.value, p.size, pool_);
    if (average) Approach(p.value, 1 / static_cast<float>(averaged_), average_.data(i), p.size, pool_);
  }
}

Loss Trainer::Measure(std::span<const Batch> batches) {
  Context ctx{.arena = arena_, .pool = pool_};
  Loss loss;
  if (pass_weights_) pass_weights_->Set();
  for (const Batch& batch : batches)
    loss += LossPass(ctx, trainable_, batch, static_cast<float>(options_.smoothing), 0);
  if (pass_weights_) pass_weights_->Restore();
  return loss;
}

double Trainer::AttentionGradients(const Batch& pair, AttentionTrace& to) {
  tape_.weight_gradients = &to;
  Context ctx{.arena = arena_, .pool = pool_, .tape = &tape_};
  const Loss loss =
      LossPass(ctx, trainable_, pair, /*smoothing=*/0, /*scale=*/1);  // the next step clears its gradients
  tape_.weight_gradients = nullptr;
  return loss.negative;
}

void Trainer::SwapAverage() {
  for (size_t i = 0; i < parameters_.all().size(); ++i) {
    LearntParameter& p = parameters_.all()[i];
    std::swap_ranges(p.value, p.value + p.size, average_.data(i));
  }
}

WeightSlots Together(std::initializer_list<const WeightSlots*> groups) {
  WeightSlots all;
  for (const WeightSlots* group : groups) {
    all.slots.insert(all.slots.end(), group->slots.begin(), group->slots.end());
  }
  for (WeightSlot& slot : all.slots) slot.names.resize(1);
  return all;
}

void CopyWeights(WeightSlots& from, WeightSlots& to) {
  const Parameters source(from, /*gradients=*/false);
  Parameters target(to, /*gradients=*/false);
  for (size_t i = 0; i < source.all().size(); ++i) {
    std::copy_n(source.all()[i].value, source.all()[i].size, target.all()[i].value);
  }
}

WeightSlots Trainer::State() { return Together({&slots_, &first_.slots(), &second_.slots(), &average_.slots()}); }

void Trainer::Resume(WeightSlots state, uint64_t step, uint64_t averaged) {
  Resume(step, averaged);
  WeightSlots mine = State();
  CopyWeights(state, mine);
}

}  // namespace qkv
