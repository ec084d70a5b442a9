// Multi-head attention (Vaswani et al. 2017, section 3.2.2): [h_1; ...; h_H] W_o with h_i attending in its own
// projection of queries, keys and values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/segments.h"
#include "core/attention/trace.h"
#include "core/kernels/attention.h"
#include "core/layers/linear.h"

namespace qkv {

struct MultiHead {
  Linear query, key, value, output;
  size_t heads = 1;
  float dropout = 0;   // of the weights, while training
  bool scaled = true;  // q'k / sqrt(d); false: q'k

  size_t head_dim() const { return query.weight.outputs() / heads; }
};

// Rows [first_row, first_row + rows) of the queries, and the projected keys and values that they see.
struct AttendedSegment {
  size_t first_row = 0, rows = 0;
  const float* keys = nullptr;    // [length, heads * head_dim]
  const float* values = nullptr;  // the same shape
  size_t length = 0;
  const int32_t* key_rows = nullptr;  // key j is row key_rows[j]; null: row j
  bool causal = false;                // query i sees keys [0, first_query + i]
  size_t first_query = 0;             // the place of the first query
  size_t segment = 0;                 // of the batch
};

// Queries of each segment see the keys of the segment of the same number; with `causal` only those up to their own
// position. key, value [keys.rows(), d] are packed as `keys`.
std::vector<AttendedSegment> AttendEach(const Segments& queries, const Segments& keys, ConstMatrixView key,
                                        ConstMatrixView value, bool causal);

// One segment's attention as the kernels take it: queries and output are rows of `q` and `context`.
ScaledDotAttention SegmentAttention(const MultiHead& layer, const AttendedSegment& segment, ConstMatrixView q,
                                    MatrixView context);

// softmax(q k' / sqrt(d)) v of every segment into `context`, recorded: the context has a tape. Keys and values are
// recorded outputs of other operations, and segments do not share them.
void AttendRecorded(Context& ctx, const MultiHead& layer, std::span<const AttendedSegment> segments,
                    AttentionPlace place, ConstMatrixView q, MatrixView context);

// x [rows, d] -> [rows, d]. Every row belongs to exactly one segment. With a trace in the context there is one segment,
// and its weights are kept at `place`.
MatrixView Forward(Context& ctx, const MultiHead& layer, const Operand& x, std::span<const AttendedSegment> segments,
                   AttentionPlace place);

}  // namespace qkv
