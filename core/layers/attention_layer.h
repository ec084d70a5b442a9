// Attention with weights of its own: queries, keys and values are projected, heads attend side by side, and their
// contexts, joined, are projected again (Vaswani et al. 2017, section 3.2.2), with any score, selection, window and
// mask. Given one sequence as all three it is self-attention; given two, cross-attention. The Transformer's own layer,
// whose decoding shares rows among beams, is core/layers/multi_head.h.
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

// Keys and values of what a layer has seen, projected: queries that come later see them too.
struct AttentionMemory {
  std::vector<float> keys, values;  // [rows, key_heads * dim]
  size_t rows = 0;
};

// What `Forward` computes with, of these many rows. The error names the weight.
Result<void> CheckAttentionLayer(const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key,
                                 ConstMatrixView value, const AttentionMemory* memory);

// Bytes that Forward takes at most on one thread, with what it adds to the memory and besides the record. Inputs have
// been checked.
uint64_t ForwardRoom(const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key, ConstMatrixView value,
                     const AttentionMemory* memory);

// query [rows, inputs], key and value [keys, inputs] -> [rows, outputs] in the context's arena. With a memory, keys and
// values are added to it, and queries see all of it: query i's place is its former rows + i. Inputs have been checked.
// With a tape in the context it records itself; former rows of the memory are constants then.
MatrixView Forward(Context& ctx, const AttentionLayer& layer, ConstMatrixView query, ConstMatrixView key,
                   ConstMatrixView value, AttentionMemory* memory = nullptr, const AttentionRecord& record = {});

}  // namespace qkv
