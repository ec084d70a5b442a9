// Scaled dot-product attention (Vaswani et al. 2017, equation 1) over one segment, all heads in one call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "core/base/function_ref.h"

namespace qkv {

// Turns one query's row of scores, of the keys that it sees, into weights, in place.
using CustomSoftmax = FunctionRef<void(size_t head, size_t query, float* row, size_t keys)>;

// Heads are side by side in a row: head h of row i starts at base + i * stride + h * head_dim.
struct ScaledDotAttention {
  size_t heads = 1;
  size_t head_dim = 0;
  float scale = 1;  // 1 / sqrt(head_dim) in the paper

  size_t queries = 0;  // rows
  const float* query = nullptr;
  size_t query_stride = 0;

  size_t keys = 0;  // rows
  const float* key = nullptr;
  const float* value = nullptr;
  size_t key_stride = 0;  // of keys and values
  // Key j is row key_rows[j] of `key` and `value`; null: row j. Beams that share a prefix share its rows this way.
  const int32_t* key_rows = nullptr;

  // Query i sees keys [0, first_query + i] when causal, all keys otherwise.
  bool causal = false;
  size_t first_query = 0;

  float* output = nullptr;  // [queries, heads * head_dim]
  size_t output_stride = 0;

  // Optional results, [heads, queries, keys]: softmax(scale q k'), 0 where masked; and scale q k' itself, -inf where
  // masked. Storing them does not change a bit of the output.
  float* weights = nullptr;
  float* scores = nullptr;

  // In place of the softmax; null: the softmax. Heads are counted from `first_head`.
  const CustomSoftmax* custom_softmax = nullptr;
  size_t first_head = 0;
};

// Heads [first, first + count) of `all`. Slices of heads are disjoint, so threads never share output.
inline ScaledDotAttention SomeHeads(const ScaledDotAttention& all, size_t first, size_t count) {
  ScaledDotAttention part = all;
  part.heads = count;
  part.first_head += first;
  for (const float** from : {&part.query, &part.key, &part.value}) *from += first * all.head_dim;
  part.output += first * all.head_dim;
  for (float** kept : {&part.weights, &part.scores}) {
    if (*kept != nullptr) *kept += first * all.queries * all.keys;
  }
  return part;
}

// The bits of a query's result depend only on its own row and the keys that it sees, not on the other queries of the
// call. `scratch` holds AttentionScratch(a) floats, 64-byte aligned.
void Attend(const ScaledDotAttention& a, float* scratch);
size_t AttentionScratch(const ScaledDotAttention& a);
void AttendNaive(const ScaledDotAttention& a);

// The two products alone, for one query and rows `stride` floats apart: scores[j] = q k_j, with space for `count`
// rounded up to a multiple of four, and output = sum_j weights[j] value_j. The order of summation is the same on every
// target, and nothing is fused.
void DotRows(const float* query, const float* keys, size_t stride, size_t dim, size_t count, float* scores);
void SumRows(const float* weights, const float* values, size_t stride, size_t dim, size_t count, float* output);

}  // namespace qkv
