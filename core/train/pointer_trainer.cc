#include "core/train/pointer_trainer.h"

#include <cmath>
#include <utility>

#include "core/train/initialise.h"

namespace qkv {
namespace {

// Of the first row of a likelihood, [2, choices].
double MeanLoss(const MatrixView& likelihoods) { return -likelihoods.row(0).cast<double>().mean(); }

WeightSlots Reserved(WeightSlots slots) {
  ReserveFloats(slots);
  return slots;
}

}  // namespace

PointerTrainer::PointerTrainer(const PointerConfig& config, uint64_t seed, const AdamOptions& adam, size_t threads)
    : network_(config),
      adam_(adam),
      slots_(Reserved(network_.Slots())),
      parameters_(slots_),
      first_(slots_, "adam.first"),
      second_(slots_, "adam.second"),
      pool_(threads) {
  Initialise(parameters_, seed);
  parameters_.Watch(tape_);
}

double PointerTrainer::Loss(const PointerBatch& batch) {
  const ArenaScope scope(arena_);
  Context ctx{.arena = arena_, .pool = pool_};
  return MeanLoss(network_.ForwardForTraining(ctx, batch.View(), batch.segments, batch.choices, batch.choice_segments));
}

double PointerTrainer::Gradient(const PointerBatch& batch) {
  parameters_.ClearGradients();
  const ArenaScope scope(arena_);
  Context ctx{.arena = arena_, .pool = pool_, .tape = &tape_};
  // Row 0 has log p of each choice. The loss is -mean(log p), so its gradient is -1 / choices everywhere.
  const MatrixView likelihoods =
      network_.ForwardForTraining(ctx, batch.View(), batch.segments, batch.choices, batch.choice_segments);
  MatrixView given = ctx.New(2, likelihoods.cols());
  given.setZero();
  given.row(0).setConstant(-1 / static_cast<float>(likelihoods.cols()));
  tape_.SetGradient(likelihoods.data(), given.data());
  const double loss = MeanLoss(likelihoods);
  tape_.Backward();
  return loss;
}

PointerTrainer::Report PointerTrainer::Learn(const PointerBatch& batch, double rate) {
  // The gradient and its norm; numbers that are not finite change no weight.
  Report report;
  report.loss = Gradient(batch);
  double squares = 0;
  for (const LearntParameter& p : parameters_.all()) squares += SumOfSquares(p.gradient.data(), p.size, pool_);
  report.gradient = std::sqrt(squares);
  report.finite = std::isfinite(report.gradient) && std::isfinite(report.loss);
  if (!report.finite) return report;
  // The update.
  const AdamStep step = AdamStepAt(adam_, ++step_, rate, report.gradient);
  for (size_t i = 0; i < parameters_.all().size(); ++i) {
    LearntParameter& p = parameters_.all()[i];
    UpdateAdam(step, p.gradient.data(), first_.data(i), second_.data(i), p.value, p.size, pool_);
  }
  return report;
}

std::vector<int32_t> PointerTrainer::Point(ConstMatrixView points, size_t most, int32_t stop, float* weights) {
  Context ctx{.arena = arena_, .pool = pool_};
  return network_.Point(ctx, points, most, stop, weights);
}

WeightSlots PointerTrainer::State() { return Together({&slots_, &first_.slots(), &second_.slots()}); }

void PointerTrainer::Resume(WeightSlots state, uint64_t step) {
  step_ = step;
  WeightSlots mine = State();
  CopyWeights(state, mine);
}

}  // namespace qkv
