#include "core/layers/dropout.h"

#include "core/base/random.h"
#include "core/base/tape.h"
#include "core/kernels/dropout.h"

namespace qkv {

void Dropout(Context& ctx, float rate, MatrixView x, ConstMatrixView whole) {
  if (!kTrainable || ctx.random == nullptr || rate <= 0) return;
  const auto size = static_cast<size_t>(x.size());
  const uint64_t first = ctx.random->TakeBlocks(DropoutBlocks(size));
  DropoutElements(*ctx.random, first, rate, x.data(), size, ctx.pool);
  if (ctx.tape == nullptr) return;
  ctx.tape->Record(whole, [ctx, first, rate, x, size] {
    DropoutElements(*ctx.random, first, rate, ctx.tape->Gradient(x.data()), size, ctx.pool);
  });
}

void Dropout(Context& ctx, float rate, MatrixView x) { Dropout(ctx, rate, x, View(x)); }

}  // namespace qkv
