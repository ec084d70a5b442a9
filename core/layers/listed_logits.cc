#include "core/layers/listed_logits.h"

#include <algorithm>

#include "core/kernels/matmul.h"

namespace qkv {
namespace {

// Panels and rows that are multiplied at once. The widest tile of a single row has four panels.
constexpr size_t kMostPanels = 4, kMostRows = 8, kMostOutputs = kMostPanels * kPanel;

size_t PanelOf(int32_t piece) { return static_cast<size_t>(piece) / kPanel; }

// Panels at equal distances, so that one product takes them all: any two, or more.
struct PanelGroup {
  size_t first, last, distance = 1, count = 1;

  explicit PanelGroup(size_t panel) : first(panel), last(panel) {}
  // Whether the panel is in the group, or now is.
  bool Takes(size_t panel) {
    if (panel == last) return true;
    if (panel < last || count == kMostPanels || (count > 1 && panel - last != distance)) return false;
    distance = panel - last;
    last = panel;
    ++count;
    return true;
  }
  // The place of a piece's output among those of the group.
  size_t Place(int32_t piece) const {
    return (PanelOf(piece) - first) / distance * kPanel + static_cast<size_t>(piece) % kPanel;
  }
};

// The logits of pieces [begin, end), all of the group's panels.
void Multiply(const PanelGroup& group, Product p, ConstMatrixView x, std::span<const int32_t> pieces, size_t begin,
              size_t end, const float* bias, MatrixView y) {
  alignas(kCacheLine) float products[kMostRows * kMostOutputs];
  const size_t rows = static_cast<size_t>(x.rows());
  p.w += group.first * p.panel_stride;
  p.panel_stride *= group.distance;
  p.outputs = group.count * kPanel;
  p.y = products;
  p.y_stride = kMostOutputs;
  for (size_t row = 0; row < rows; row += kMostRows) {
    const size_t count = std::min(kMostRows, rows - row);
    p.x = x.data() + row * p.x_stride;
    Multiply(p, count);
    for (size_t i = begin; i < end; ++i) {
      const int32_t piece = pieces[i];
      const float* from = products + group.Place(piece);
      float* to = y.data() + row * pieces.size() + i;
      for (size_t r = 0; r < count; ++r, from += kMostOutputs, to += pieces.size()) {
        *to = bias != nullptr ? *from + bias[piece] : *from;
      }
    }
  }
}

}  // namespace

void ListedLogits(ConstMatrixView x, const PackedMatrix& table, std::span<const int32_t> pieces, const float* bias,
                  MatrixView y, ThreadPool& pool) {
  Product whole = Whole(table);
  whole.x_stride = table.inputs();
  constexpr size_t kGrain = 64;
  pool.For(pieces.size(), kGrain, [&](size_t begin, size_t stop) {
    for (size_t end; begin < stop; begin = end) {
      PanelGroup group(PanelOf(pieces[begin]));
      for (end = begin + 1; end < stop && group.Takes(PanelOf(pieces[end]));) ++end;
      Multiply(group, whole, x, pieces, begin, end, bias, y);
    }
  });
}

}  // namespace qkv
