// Rows of several heads, seen through strides: [heads, rows, dim]. Arrays of that shape and packed rows with heads side
// by side are both such views.
#pragma once

#include <cstddef>

namespace qkv {

// One head: [rows, dim], rows `stride` floats apart.
template <class T>
struct RowsOf {
  T* data = nullptr;
  size_t rows = 0, dim = 0, stride = 0;

  T* Row(size_t row) const { return data + row * stride; }
  operator RowsOf<const T>() const { return {data, rows, dim, stride}; }
};
using Rows = RowsOf<float>;
using ConstRows = RowsOf<const float>;

template <class T>
struct HeadsOf {
  T* data = nullptr;
  size_t heads = 0, rows = 0, dim = 0;
  size_t head_stride = 0, row_stride = 0;

  // Of no data no offset is taken.
  RowsOf<T> Head(size_t head) const {
    return {data != nullptr ? data + head * head_stride : nullptr, rows, dim, row_stride};
  }
  // Rows [begin, begin + count): a segment of packed rows.
  HeadsOf Slice(size_t begin, size_t count) const {
    return {data != nullptr ? data + begin * row_stride : nullptr, heads, count, dim, head_stride, row_stride};
  }
  operator HeadsOf<const T>() const { return {data, heads, rows, dim, head_stride, row_stride}; }
};
using Heads = HeadsOf<float>;
using ConstHeads = HeadsOf<const float>;

// An array [heads, rows, dim] without gaps.
template <class T>
HeadsOf<T> Dense(T* data, size_t heads, size_t rows, size_t dim) {
  return {data, heads, rows, dim, rows * dim, dim};
}

// Packed rows [rows, heads * dim], heads side by side.
template <class T>
HeadsOf<T> SideBySide(T* data, size_t heads, size_t rows, size_t dim) {
  return {data, heads, rows, dim, dim, heads * dim};
}

}  // namespace qkv
