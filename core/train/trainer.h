// Maximum-likelihood training by Adam or AdamW. The trainer knows batches and weights. Files, logs and early stopping
// belong to the run (core/train/run.h).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/tape.h"
#include "core/train/adam_at.h"
#include "core/train/loss_pass.h"
#include "core/train/parameters.h"
#include "core/train/schedule.h"

namespace qkv {

struct TrainerOptions : AdamOptions {
  Schedule schedule = {};
  double decay = 0;                         // weight decay of matrices (AdamW); norms and biases have none
  double smoothing = 0.1;                   // of labels
  Precision precision = Precision::kFloat;  // of products; kBf16 where HasBf16() (core/kernels/gemm_bf16.h)
  uint64_t average_from = 0;                // weights are averaged from this step on; 0: never
  uint64_t average_every = 10;              // steps between two weights in the average
  uint64_t seed = 1;                        // of dropout
};

// Weights of a model's shape: moments, averages.
class WeightCopies {
 public:
  // Zeros in the shape of `like`, named "prefix.name", or as they are where there is no prefix.
  explicit WeightCopies(const WeightSlots& like, const std::string& prefix = "");

  const WeightSlots& slots() const { return slots_; }
  float* data(size_t parameter) { return parameters_->all()[parameter].value; }

 private:
  std::vector<std::unique_ptr<Weight>> matrices_;
  std::vector<std::unique_ptr<Vector>> vectors_;
  WeightSlots slots_;
  std::unique_ptr<Parameters> parameters_;
};

// The slots of several groups, each by its first name: what a checkpoint has.
WeightSlots Together(std::initializer_list<const WeightSlots*> groups);
// Copies the weights of slots to the first ones of `to`, which have the same shapes.
void CopyWeights(WeightSlots& from, WeightSlots& to);

// Replaces the weights in the forward and backward passes, for example by rounded ones. Their gradient is used for the
// weights unchanged (the straight-through estimator: Bengio et al. 2013).
class PassWeights {
 public:
  virtual ~PassWeights() = default;
  virtual void Set() = 0;      // replaces the weights before a pass
  virtual void Restore() = 0;  // puts them back
};

class Trainer {
 public:
  // `slots` are those of the model, whose weights are floats. Model and weights outlive the trainer. Row `start` of the
  // embedding stays zero, because decoding begins with it. kNoStart: there is no such row.
  static constexpr int32_t kNoStart = -1;
  Trainer(const TrainableModel& trainable, WeightSlots slots, int32_t start, TrainerOptions options, size_t threads);

  struct Report {
    uint64_t step = 0;  // counted from 1
    Loss loss;
    double rate = 0, gradient = 0;  // the norm of the gradient before clipping
    bool finite = true;             // false: the loss or the gradient is not finite, and nothing was changed
  };
  // Passes from now on compute with these weights.
  void set_pass_weights(std::unique_ptr<PassWeights> weights) { pass_weights_ = std::move(weights); }

  // One update with the gradient of the mean over all target pieces of `batches`; several batches where one would not
  // fit in memory.
  Report Step(std::span<const Batch> batches);

  // The parts of Step, for batches that several processes share (core/train/gradient_sum.h). Begin clears the
  // gradients and sets the weights of the passes.
  void Begin();
  // Adds the gradients of `scale` times the loss of one batch, the one of that `number` in the update, from 0. The
  // dropout masks depend only on the seed, the step and this number.
  Loss Pass(const Batch& batch, uint64_t number, float scale);
  // One update by the gradients; `loss` is that of all batches.
  Report End(const Loss& loss);
  Tape& tape() { return tape_; }
  Parameters& parameters() { return parameters_; }

  // The loss without dropout; nothing is learned.
  Loss Measure(std::span<const Batch> batches);

  // d loss / d weight of each attention, with the loss -log p(target | source) of one pair, in nats. Nothing is learned
  // and nothing is drawn. `to`: reserved for the pair's lengths. Returns the loss.
  double AttentionGradients(const Batch& pair, AttentionTrace& to);

  uint64_t step() const { return step_; }
  bool has_average() const { return averaged_ > 0; }
  // Swaps the weights and their average, for measuring or writing the average; a second call swaps them back.
  void SwapAverage();

  // The state for a checkpoint: weights, moments, average, and these numbers.
  WeightSlots State();
  uint64_t averaged() const { return averaged_; }
  // `state` has the names and shapes of State().
  void Resume(WeightSlots state, uint64_t step, uint64_t averaged);
  // The same where State() has its values already.
  void Resume(uint64_t step, uint64_t averaged) {
    step_ = step;
    averaged_ = averaged;
  }
  void set_rate(double rate) { options_.schedule.peak = rate; }
  const TrainerOptions& options() const { return options_; }

 private:
  void Update(const Report& report);

  const TrainableModel& trainable_;
  TrainerOptions options_;
  int32_t start_;
  Arena arena_;
  ThreadPool pool_;
  Tape tape_;
  WeightSlots slots_;
  Parameters parameters_;
  WeightCopies first_, second_, average_;
  std::unique_ptr<PassWeights> pass_weights_;
  uint64_t step_ = 0, averaged_ = 0;
};

}  // namespace qkv
