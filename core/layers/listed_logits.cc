#include "core/layers/listed_logits.h"

#include "core/kernels/matmul.h"

namespace qkv {

void ListedLogits(Context& ctx, ConstMatrixView x, const PackedMatrix& table, std::span<const int32_t> pieces,
                  const float* bias, MatrixView y) {
  const size_t rows = static_cast<size_t>(x.rows()), count = pieces.size();
  float* const products = ctx.New(x.rows(), 2 * kPanel).data();
  Product p = Whole(table);
  const float* const w = p.w;
  const size_t stride = p.panel_stride;
  p.x = x.data();
  p.x_stride = table.inputs();
  p.y = products;
  p.y_stride = p.outputs = 2 * kPanel;
  // Two panels are computed at once: the one of the next piece, and the following one that the list needs. Together
  // they have enough independent sums to hide the latency of an addition.
  size_t first = table.panels(), second = first;
  for (size_t i = 0; i < count; ++i) {
    const size_t piece = static_cast<size_t>(pieces[i]), panel = piece / kPanel;
    if (panel != first && panel != second) {
      first = second = panel;
      for (size_t next = i; next < count && second <= first; ++next)
        second = static_cast<size_t>(pieces[next]) / kPanel;
      if (second < first) second = first;
      p.w = w + first * stride;
      p.panel_stride = (second - first) * stride;
      Multiply(p, rows);
    }
    const size_t at = piece % kPanel + (panel == first ? 0 : kPanel);
    for (size_t row = 0; row < rows; ++row) {
      const float product = products[row * 2 * kPanel + at];
      y.data()[row * count + i] = bias != nullptr ? product + bias[piece] : product;
    }
  }
}

}  // namespace qkv
