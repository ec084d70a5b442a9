#include "core/train/loss_pass.h"

#include <algorithm>
#include <utility>

#include "core/base/tape.h"
#include "core/kernels/cross_entropy.h"
#include "core/train/rewards.h"

namespace qkv {
namespace {

// Without a backward, the logits of some rows at a time are enough.
constexpr Eigen::Index kRowsAtOnce = 256;

Loss LossOf(MatrixView logits, std::span<const int32_t> targets, float smoothing, float scale, ThreadPool& pool) {
  const CrossEntropySums sums = CrossEntropy(logits, targets, smoothing, scale, pool);
  return {sums.loss, sums.negative, targets.size()};
}

Loss Measure(Context& ctx, const TrainableModel& trainable, ConstMatrixView rows, std::span<const int32_t> targets,
             float smoothing) {
  Loss loss;
  for (Eigen::Index row = 0; row < rows.rows(); row += kRowsAtOnce) {
    const ArenaScope scope(ctx.arena);
    const Eigen::Index count = std::min(kRowsAtOnce, rows.rows() - row);
    MatrixView logits = trainable.Logits(ctx, {rows.data() + row * rows.cols(), count, rows.cols()});
    loss +=
        LossOf(logits, targets.subspan(static_cast<size_t>(row), static_cast<size_t>(count)), smoothing, 0, ctx.pool);
  }
  return loss;
}

}  // namespace

Loss& Loss::operator+=(const Loss& other) {
  smoothed += other.smoothed;
  negative += other.negative;
  pieces += other.pieces;
  return *this;
}

Loss LossPass(Context& ctx, const TrainableModel& trainable, const Batch& batch, float smoothing, float scale) {
  const ArenaScope scope(ctx.arena);
  MatrixView rows = trainable.Forward(ctx, batch);
  if (ctx.tape == nullptr) return Measure(ctx, trainable, View(rows), batch.target_out, smoothing);
  MatrixView logits = trainable.Logits(ctx, View(rows));
  Tape::Choices& choices = ctx.tape->choices;
  if (std::exchange(choices.draws, false)) SetRewards(View(logits), batch.target_out, scale, choices);
  const Loss loss = LossOf(logits, batch.target_out, smoothing, scale, ctx.pool);
  ctx.tape->SetGradient(logits.data(), logits.data());
  ctx.tape->Backward();
  return loss;
}

}  // namespace qkv
