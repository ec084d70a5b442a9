#include "core/layers/embedding.h"

#include <algorithm>

#include "core/kernels/softmax.h"
#include "core/layers/listed_logits.h"

namespace qkv {

MatrixView PieceLogits(Context& ctx, const Weight& table, const Vector& bias, const Operand& x,
                       std::span<const int32_t> pieces) {
  const auto count = static_cast<Eigen::Index>(pieces.empty() ? table.outputs() : pieces.size());
  MatrixView logits = ctx.New(x.floats().rows(), count);
  if (table.quantized() && pieces.empty()) {
    MatMulOutputs(x.Quantized(ctx), table.int8(), 0, bias.data(), logits, ctx.pool);
  } else if (table.quantized()) {
    MatMulRows(x.Quantized(ctx), table.int8(), pieces, bias.data(), logits, ctx.pool);
  } else if (!pieces.empty()) {
    ListedLogits(ctx, x.floats(), table.floats(), pieces, bias.data(), logits);
  } else if (ctx.Recording() != nullptr) {
    MultiplyRecorded(ctx, table, bias.data(), x.floats(), Activation::kNone, logits);
  } else {
    MatMul(x.floats(), table.floats(), bias.data(), Activation::kNone, logits, ctx.pool);
  }
  return logits;
}

void EachPartOfLogits(Context& ctx, const Weight& table, const Vector& bias, const Operand& x,
                      FunctionRef<void(size_t first, MatrixView logits)> use) {
#ifdef __EMSCRIPTEN__
  // WebAssembly computes all logits at once. Its batches have at most 32 hypotheses, so this matrix is small. Computing
  // it in parts would save little memory, and the code for it would make the download larger.
  use(0, PieceLogits(ctx, table, bias, x, {}));
#else
  constexpr size_t kPartFloats = size_t{1} << 18;  // 1 MB: half of the second-level cache of a core that has AMX
  const auto rows = x.floats().rows();
  // The size of a part is a multiple of kNormaliserPart pieces. It is the largest one that fits in kPartFloats, or
  // kNormaliserPart if none fits.
  const size_t runs = std::max<size_t>(kPartFloats / (static_cast<size_t>(rows) * kNormaliserPart), 1);
  const size_t most = std::min(runs * kNormaliserPart, table.outputs());
  MatrixView buffer = ctx.New(rows, static_cast<Eigen::Index>(most));
  for (size_t first = 0; first < table.outputs(); first += most) {
    const auto count = static_cast<Eigen::Index>(std::min(most, table.outputs() - first));
    MatrixView logits(buffer.data(), rows, count);
    if (table.quantized()) {
      MatMulOutputs(x.Quantized(ctx), table.int8(), first, bias.data(), logits, ctx.pool);
    } else {
      MatMulOutputs(x.floats(), table.floats(), first, bias.data(), logits, ctx.pool);
    }
    use(first, logits);
  }
#endif
}

}  // namespace qkv
