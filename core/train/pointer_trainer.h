// Maximum-likelihood training of a pointer network by Adam: each choice of the right order is as likely as possible.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/tape.h"
#include "core/models/pointer_network.h"
#include "core/train/adam_at.h"
#include "core/train/parameters.h"
#include "core/train/trainer.h"

namespace qkv {

// Sets of points, each with the order that is right.
struct PointerBatch {
  size_t inputs = 1;             // columns of a point
  std::vector<float> points;     // [rows of all sets, inputs]
  std::vector<int32_t> choices;  // of all sets: places counted from a set's first point
  Segments segments;             // the points of each set
  Segments choice_segments;      // the choices of each set

  // set [rows, inputs]
  void Add(std::span<const float> set, size_t rows, std::span<const int32_t> order) {
    points.insert(points.end(), set.begin(), set.end());
    inputs = set.size() / rows;
    segments.Add(rows);
    choices.insert(choices.end(), order.begin(), order.end());
    choice_segments.Add(order.size());
  }
  // Set `s` of another batch.
  void Add(const PointerBatch& from, size_t s) {
    Add(std::span(from.points).subspan(from.segments.begin(s) * from.inputs, from.segments.length(s) * from.inputs),
        from.segments.length(s),
        std::span(from.choices).subspan(from.choice_segments.begin(s), from.choice_segments.length(s)));
  }
  ConstMatrixView View() const {
    return {points.data(), static_cast<Eigen::Index>(segments.rows()), static_cast<Eigen::Index>(inputs)};
  }
};

class PointerTrainer {
 public:
  // Moments as in Adam's paper; no clipping.
  static constexpr AdamOptions kUsual = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .clip = 0};

  PointerTrainer(const PointerConfig& config, uint64_t seed, const AdamOptions& adam = kUsual, size_t threads = 1);

  const PointerNetwork& network() const { return network_; }
  Parameters& parameters() { return parameters_; }

  // The mean over choices of -log p, in nats.
  double Loss(const PointerBatch& batch);
  // The same, and its gradient in the parameters.
  double Gradient(const PointerBatch& batch);

  struct Report {
    double loss = 0, gradient = 0;  // the norm of the gradient before clipping
    bool finite = true;             // false: the loss or the gradient is not finite, and nothing was changed
  };
  // One update.
  Report Learn(const PointerBatch& batch, double rate);

  // PointerNetwork::Point
  std::vector<int32_t> Point(ConstMatrixView points, size_t most, int32_t stop = kNoKey, float* weights = nullptr);

  uint64_t step() const { return step_; }
  const WeightSlots& slots() const { return slots_; }
  // Weights, then moments, for a checkpoint. Resume takes over a copy of all of it, or of the weights alone.
  WeightSlots State();
  void Resume(WeightSlots state, uint64_t step);

 private:
  PointerNetwork network_;
  AdamOptions adam_;
  WeightSlots slots_;
  Parameters parameters_;
  WeightCopies first_, second_;  // Adam's moments
  Arena arena_;
  ThreadPool pool_;
  Tape tape_;
  uint64_t step_ = 0;
};

}  // namespace qkv
