#include "core/layers/dropout.h"

#include "core/base/random.h"

namespace qkv {

void Dropout(Context& ctx, float rate, MatrixView x) {
  if (ctx.random == nullptr || rate <= 0) return;
  const float keep = 1 / (1 - rate);
  for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] *= ctx.random->Uniform() < rate ? 0 : keep;
}

}  // namespace qkv
