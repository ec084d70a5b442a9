// A pointer network in memory, for pages. It is trained one step at a time on sets of points that the caller gives, and
// can run between two steps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/train/pointer_trainer.h"

namespace qkv {

class PointerSession {
 public:
  // `config` is JSON: "inputs", "d_model", "cell", "bidirectional", "repeats" of the network (PointerConfig), "batch"
  // (sets a step), "rate", "clip" (of the gradient's norm; 0: none) and "seed" of the training. `sets` may be empty,
  // for a network that only runs. Errors: kInvalidFile names the field, kInvalidArgument the set.
  static Result<std::unique_ptr<PointerSession>> Create(std::string_view config, PointerBatch sets, PointerBatch dev,
                                                        size_t threads);

  // One update with `batch` sets, drawn by the seed and the step. Errors: kInvalidArgument without sets.
  Result<PointerTrainer::Report> Step();
  // The mean of -log p over the choices of `dev`. Errors: kInvalidArgument without such sets.
  Result<double> Measure();
  void set_rate(double rate) { rate_ = rate; }
  double rate() const { return rate_; }
  uint64_t step() const { return trainer_->step(); }
  size_t parameters() { return trainer_->parameters().count(); }
  size_t inputs() const { return trainer_->network().config().inputs; }

  struct Order {
    std::vector<int32_t> places;
    std::vector<float> weights;  // [places, points]
  };
  // The order of one set, greedily: at most `most` places (0: as many as there are points), or up to the place `stop`
  // (kNoKey: none). Errors: kInvalidArgument.
  Result<Order> Point(std::span<const float> points, size_t most, int32_t stop);

  // safetensors in F32. With `moments`, another session can continue from it bit for bit; without, it has the weights
  // alone.
  std::string Save(bool moments);
  // `tensors` as Save wrote them, after `step` steps. Without moments the training begins with moments of zero. Errors:
  // kInvalidFile; then the session must not be used.
  Result<void> Load(std::span<const uint8_t> tensors, uint64_t step, bool moments);

 private:
  PointerSession() = default;

  std::unique_ptr<PointerTrainer> trainer_;
  PointerBatch sets_, dev_;
  size_t batch_ = 0;
  double rate_ = 0;
  uint64_t seed_ = 0;
};

}  // namespace qkv
