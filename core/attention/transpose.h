// The literature writes attention in two ways. By rows, softmax(Q K' / sqrt(d)) V: a query, a key, a value is a row. By
// columns, V softmax(K' Q / sqrt(d)): each of them is a column, and the softmax is over a column. Each is the other
// transposed. This engine computes by rows.
#pragma once

#include <type_traits>

#include "core/attention/heads.h"

namespace qkv {

// y[h] = x[h]', x [heads, rows, dim], y [heads, dim, rows].
template <class T>
void Transpose(std::type_identity_t<HeadsOf<const T>> x, HeadsOf<T> y) {
  for (size_t h = 0; h < x.heads; ++h) {
    for (size_t r = 0; r < x.rows; ++r) {
      for (size_t c = 0; c < x.dim; ++c) y.Head(h).Row(c)[r] = x.Head(h).Row(r)[c];
    }
  }
}

}  // namespace qkv
