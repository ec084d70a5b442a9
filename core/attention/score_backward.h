// The backward of a score, beside its forward in the score's file: from the gradients of what it made ready to those of
// queries, keys and parameters. Sums over pairs have been taken by then (core/attention/attend_backward.cc).
#pragma once

#include <span>
#include <string_view>

#include "core/attention/score.h"
#include "core/attention/segments.h"
#include "core/base/threads.h"
#include "core/kernels/gemm.h"

namespace qkv {

// Where a parameter's gradient is added, which lies as the parameter does.
struct ParameterGradient {
  std::string_view name;
  Heads gradient;
};

// One head, with the keys of all segments.
struct ScoreBackward {
  ScoreInputs in;
  ConstRows queries;
  const ReadyScore& ready;
  const Segments& key_segments;

  // Gradients of what met: queries as they were mapped, before they were scaled, [queries, n]; the score's keys, [keys,
  // n]; and of the numbers that ready has.
  ConstRows met_queries, met_keys;
  const float* pair_weight = nullptr;  // [n]
  float scale = 0, slope = 0;

  // Where they go, added to; without data where they are not wanted.
  Rows to_queries, to_keys;
  std::span<const ParameterGradient> to_parameters;

  Arena& arena;
  ThreadPool& pool;

  // This head's gradient of a parameter.
  Rows operator[](std::string_view name) const;
};

// to += factor what; without data in `to` nothing happens, here and below.
void Add(ConstRows what, Rows to, float factor = 1);
bool IsFinite(ConstRows x);
// y [m, n] += a [m, k] b [k, n]. Where not all of both is `finite`, 0 times anything is 0: what was not seen passes
// nothing on, also where it is NaN.
void AddProduct(size_t m, size_t n, size_t k, Factor a, Factor b, bool finite, Rows y, Arena& arena, ThreadPool& pool);

// The backward of MapRows, y = x W': to_x += dy W, to_weight += dy' x.
void MapRowsBackward(const ScoreBackward& b, ConstRows dy, ConstRows x, ConstRows weight, Rows to_x, Rows to_weight);
// Of DivideByLength: to += (dy - y (y'dy)) / |x| with y = x / |x|; of a row of zeros nothing. `to` may be dy.
void DivideByLengthBackward(ConstRows x, ConstRows dy, Rows to, bool add);

}  // namespace qkv
