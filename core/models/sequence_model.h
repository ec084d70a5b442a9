// What learning and decoding share of every model that turns one sequence of pieces into another.
#pragma once

#include <cstdint>
#include <span>

#include "core/attention/segments.h"
#include "core/decode/decoder.h"
#include "core/models/weights.h"

namespace qkv {

class SequenceModel : public Decoder {
 public:
  virtual WeightSlots Slots() = 0;

  // Teacher forcing: what the logits of every target piece are made of, [target rows, d]. Row t of a target segment has
  // read the target's rows up to t, and the source segment of the same number. `target` is what the decoder reads: the
  // start piece first.
  virtual MatrixView Teach(Context& ctx, std::span<const int32_t> source, const Segments& source_segments,
                           std::span<const int32_t> target, const Segments& target_segments) const = 0;
};

}  // namespace qkv
