#include "core/models/self_attention.h"

namespace qkv {

SelfAttended SelfAttend(Context& ctx, const MultiHead& layer, const Operand& in, const Segments& segments, bool causal,
                        AttentionPlace place) {
  const MatrixView keys = Forward(ctx, layer.key, in), values = Forward(ctx, layer.value, in);
  std::vector<AttendedSegment> parts = AttendEach(segments, segments, View(keys), View(values), causal);
  const MatrixView rows = Forward(ctx, layer, in, parts, place);
  return {rows, std::move(parts)};
}

MatrixView AttendPast(Context& ctx, const MultiHead& layer, const Operand& in, KeyValueState& past, size_t index,
                      std::span<const int32_t> segment, std::vector<AttendedSegment>& parts) {
  // The keys and values of the new rows go behind those of the pieces before.
  ForwardInto(ctx, layer.key, in, Activation::kNone, past.NewKeys(index));
  ForwardInto(ctx, layer.value, in, Activation::kNone, past.NewValues(index));
  // A hypothesis reads the rows on its path, causally among the new ones.
  const size_t count = static_cast<size_t>(in.floats().rows()) / past.hypotheses();
  parts.clear();
  for (size_t h = 0; h < past.hypotheses(); ++h) {
    parts.push_back({.first_row = h * count,
                     .rows = count,
                     .keys = past.keys(index),
                     .values = past.values(index),
                     .length = past.length(),
                     .key_rows = past.path(h),
                     .causal = true,
                     .first_query = past.length() - count,
                     .segment = segment.empty() ? h : static_cast<size_t>(segment[h])});
  }
  return Forward(ctx, layer, in, parts, {AttentionKind::kDecoderSelf, index});
}

}  // namespace qkv
