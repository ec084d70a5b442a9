#include "core/base/tape.h"
#include "core/layers/embedding.h"

namespace qkv {

void RecordEmbedding(const Context& ctx, const Weight& table, std::span<const int32_t> ids, float scale, MatrixView x) {
  const PackedMatrix& packed = table.floats();
  ctx.tape->Record(View(x), [ctx, &packed, ids = std::vector<int32_t>(ids.begin(), ids.end()), scale, x] {
    float* to = ctx.tape->Gradient(packed.data());
    if (to == nullptr) return;
    const float* g = ctx.tape->Gradient(x.data());
    const size_t d = packed.inputs();
    // Each thread has its own columns, because two rows may belong to one piece.
    constexpr size_t kColumns = 16;
    ctx.pool.For(d, kColumns, [&](size_t begin, size_t end) {
      for (size_t row = 0; row < ids.size(); ++row) {
        const auto id = static_cast<size_t>(ids[row]);
        float* column = to + id / kPanel * d * kPanel + id % kPanel;
        for (size_t i = begin; i < end; ++i) column[i * kPanel] += scale * g[row * d + i];
      }
    });
  });
}

}  // namespace qkv
