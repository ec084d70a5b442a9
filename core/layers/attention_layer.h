// Multi-head attention with any score, selection, window and mask: queries, keys and values are projected, each head
// attends, and the joined contexts are projected again (Vaswani et al. 2017, section 3.2.2). With one sequence for all
// three inputs it is self-attention, with two sequences cross-attention. The Transformer's layer, which shares rows
// among beams, is core/layers/multi_head.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/attend.h"
#include "core/layers/linear.h"

namespace qkv {

struct AttentionLayer {
  // [heads * query dim, inputs], [key_heads * key dim, inputs], [key_heads * value dim, inputs], [outputs, heads *
  // value dim]. One that is empty is the identity.
  Linear query, key, value, output;
  size_t heads = 1;
  size_t key_heads = 1;  // of keys and values; divides `heads` (Ainslie et al. 2023: grouped queries)
  Attention attention;   // its parameters are for [heads, ...] of the projected sizes
};

// The projected keys and values of earlier calls, which later queries see too.
struct AttentionMemory {
  std::vector<float> keys, values;  // [rows, key_heads * dim]
  size_t rows = 0;
};

// Checks the weights for these numbers of rows. The error names the weight.
Result<void> CheckAttentionLayer(const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key,
                                 ConstMatrixView value, const AttentionMemory* memory);

// An upper bound of the bytes that Forward takes on one thread, with those added to the memory and without the record.
// Inputs have been checked.
uint64_t ForwardMemoryNeed(const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key,
                           ConstMatrixView value, const AttentionMemory* memory);

// query [rows, inputs], key and value [keys, inputs] -> [rows, outputs] in the context's arena. With a memory, keys and
// values are added to it, and queries see all of it: query i's place is its former rows + i. Inputs have been checked.
// With a tape in the context it records itself; former rows of the memory are constants then.
MatrixView Forward(Context& ctx, const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key,
                   ConstMatrixView value, AttentionMemory* memory = nullptr, const AttentionRecord& record = {});

}  // namespace qkv
