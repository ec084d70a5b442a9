// A pointer network that learns. Its tests share this file.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/tape.h"
#include "core/kernels/adam.h"
#include "core/models/pointer_network.h"
#include "core/train/initialise.h"
#include "core/train/parameters.h"

namespace qkv {

// Sets of points, and the right order of each.
struct PointerBatch {
  std::vector<float> points;  // [rows, inputs]
  std::vector<int32_t> choices;
  Segments segments, choice_segments;
  size_t inputs = 1;

  void Add(std::span<const float> set, size_t rows, std::span<const int32_t> order) {
    points.insert(points.end(), set.begin(), set.end());
    inputs = set.size() / rows;
    segments.Add(rows);
    choices.insert(choices.end(), order.begin(), order.end());
    choice_segments.Add(order.size());
  }
  ConstMatrixView View() const {
    return {points.data(), static_cast<Eigen::Index>(segments.rows()), static_cast<Eigen::Index>(inputs)};
  }
};

class PointerLearner {
 public:
  PointerLearner(const PointerConfig& config, uint64_t seed) : network_(config), slots_(network_.Slots()) {
    ReserveFloats(slots_);
    parameters_ = std::make_unique<Parameters>(slots_);
    Initialise(*parameters_, seed);
    parameters_->Watch(tape_);
    for (const LearntParameter& p : parameters_->all()) {
      first_.emplace_back(p.size);
      second_.emplace_back(p.size);
    }
  }

  Parameters& parameters() { return *parameters_; }

  // Mean over choices of -log p.
  double Loss(const PointerBatch& batch) {
    const ArenaScope scope(arena_);
    Context ctx{.arena = arena_, .pool = pool_};
    return Mean(network_.ForwardForTraining(ctx, batch.View(), batch.segments, batch.choices, batch.choice_segments));
  }
  // The gradient of the loss with respect to the parameters.
  double Gradient(const PointerBatch& batch) {
    parameters_->ClearGradients();
    const ArenaScope scope(arena_);
    Context ctx{.arena = arena_, .pool = pool_, .tape = &tape_};
    const MatrixView odds =
        network_.ForwardForTraining(ctx, batch.View(), batch.segments, batch.choices, batch.choice_segments);
    MatrixView given = ctx.New(2, odds.cols());
    given.setZero();
    given.row(0).setConstant(-1 / static_cast<float>(odds.cols()));
    tape_.Give(odds.data(), given.data());
    const double loss = Mean(odds);
    tape_.Backward();
    return loss;
  }
  // One step of Adam.
  double Learn(const PointerBatch& batch, float rate) {
    const double loss = Gradient(batch);
    AdamStep step{.rate = rate};
    step.unbias1 = 1 - std::pow(step.beta1, ++steps_);
    step.unbias2 = 1 - std::pow(step.beta2, steps_);
    for (size_t i = 0; i < parameters_->all().size(); ++i) {
      LearntParameter& p = parameters_->all()[i];
      UpdateAdam(step, p.gradient.data(), first_[i].data(), second_[i].data(), p.value, p.size, pool_);
    }
    return loss;
  }
  std::vector<int32_t> Point(ConstMatrixView points, size_t most, int32_t stop = kNoKey) {
    Context ctx{.arena = arena_, .pool = pool_};
    return network_.Point(ctx, points, most, stop);
  }

 private:
  static double Mean(const MatrixView& odds) { return -odds.row(0).cast<double>().mean(); }

  PointerNetwork network_;
  WeightSlots slots_;
  std::unique_ptr<Parameters> parameters_;
  Arena arena_;
  ThreadPool pool_{1};
  Tape tape_;
  std::vector<std::vector<float>> first_, second_;
  int steps_ = 0;
};

}  // namespace qkv
