// The backward of a score stands in the score's file, beside its forward. It takes the gradients of what the score
// prepared and adds to those of queries, keys and parameters. The backward of the sum over pairs ran before it
// (core/attention/head_backward.cc).
#pragma once

#include <span>
#include <string_view>

#include "core/attention/score.h"
#include "core/attention/segments.h"
#include "core/base/threads.h"
#include "core/kernels/gemm.h"

namespace qkv {

// Where a parameter's gradient is added. It has the shape and strides of the parameter.
struct ParameterGradient {
  std::string_view name;
  Heads gradient;
};

// One head, with the keys of all segments.
struct ScoreBackward {
  ScoreInputs in;
  ConstRows queries;
  const PreparedScore& prepared;
  const Segments& key_segments;

  // Given gradients: of the mapped queries before scaling, [queries, n]; of the score's keys, [keys, n]; and of the
  // numbers in `prepared`.
  ConstRows mapped_queries, mapped_keys;
  const float* pair_weight = nullptr;  // [n]
  float scale = 0, slope = 0;
  const float* relative = nullptr;         // of the table's rows, without gaps
  const float* relative_values = nullptr;  // the same

  // Wanted gradients, added to; without data where not wanted.
  Rows to_queries, to_keys;
  std::span<const ParameterGradient> to_parameters;

  Arena& arena;
  ThreadPool& pool;

  // This head's gradient of a parameter.
  Rows operator[](std::string_view name) const;
};

// to += factor x. Here and below nothing happens if `to` has no data.
void Add(ConstRows x, Rows to, float factor = 1);
bool IsFinite(ConstRows x);
// y [m, n] += a [m, k] b [k, n]. Unless `finite` says that a and b are finite, 0 times anything counts as 0. So a key
// that no query sees passes no gradient, even if it holds NaN.
void AddProduct(size_t m, size_t n, size_t k, Factor a, Factor b, bool finite, Rows y, Arena& arena, ThreadPool& pool);

// The backward of MapRows, y = x W': to_x += dy W, to_weight += dy' x.
void MapRowsBackward(const ScoreBackward& b, ConstRows dy, ConstRows x, ConstRows weight, Rows to_x, Rows to_weight);
// The backward of DivideByLength: to += (dy - y (y'dy)) / |x| with y = x / |x|. A row of zeros passes nothing. `to`
// may be dy.
void DivideByLengthBackward(ConstRows x, ConstRows dy, Rows to, bool add);

}  // namespace qkv
