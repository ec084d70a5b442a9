#include "core/attention/record_attend.h"

#include <vector>

#include "core/base/tape.h"

namespace qkv {
namespace {

Heads GradientOf(Tape& tape, ConstHeads x) {
  return {x.data != nullptr ? tape.Gradient(x.data) : nullptr, x.heads, x.rows, x.dim, x.head_stride, x.row_stride};
}

}  // namespace

void AttendBackwardOnTape(Context& ctx, const Attention& attention, const AttentionInputs& in,
                          const Segments& query_segments, const Segments& key_segments, const AttentionLoss& loss) {
  Tape& tape = *ctx.tape;
  std::vector<ParameterGradient> parameters;
  for (const Parameter& p : attention.parameters) parameters.push_back({p.name, GradientOf(tape, p.value)});
  AttentionGradients to = {GradientOf(tape, in.query), GradientOf(tape, in.key), GradientOf(tape, in.value),
                           parameters};
  to.W_p = GradientOf(tape, attention.window.W_p);
  to.v_p = GradientOf(tape, attention.window.v_p);
  to.centres = GradientOf(tape, attention.window.centres);
  if (attention.mask.bias != nullptr) to.bias = tape.Gradient(attention.mask.bias);
  AttendSegmentsBackward(ctx, attention, in, query_segments, key_segments, loss, to);
}

void RecordAttend(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
                  const Segments& key_segments, Heads output) {
  if (output.data == nullptr || output.rows == 0) return;
  const size_t size = (output.heads - 1) * output.head_stride + (output.rows - 1) * output.row_stride + output.dim;
  ctx.tape->Record({output.data, 1, static_cast<Eigen::Index>(size)},
                   [ctx, attention, in, query_segments, key_segments, output]() mutable {
                     AttentionLoss loss;
                     loss.output = GradientOf(*ctx.tape, output);
                     AttendBackwardOnTape(ctx, attention, in, query_segments, key_segments, loss);
                   });
}

}  // namespace qkv
