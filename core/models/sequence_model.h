// What learning and decoding share of every model that turns one sequence of pieces into another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/attention/segments.h"
#include "core/decode/decoder.h"
#include "core/layers/weight_slots.h"
#include "core/models/sequence_config.h"

namespace qkv {

// The encoder over packed sentences, a little at a time. Between steps it keeps nothing in the arena.
class EncoderPass {
 public:
  virtual ~EncoderPass() = default;

  // One layer further; true when all is read.
  virtual bool Step(Context& ctx) = 0;
  // Once it is: the state of hypotheses that have read nothing yet, hypothesis h of sentence segment[h]. Called once.
  virtual std::unique_ptr<DecoderState> Start(Context& ctx, std::vector<int32_t> segment) = 0;
};

// The decoder over a target that is known, a little at a time. Between steps it keeps nothing in the arena.
class ForcedPass {
 public:
  virtual ~ForcedPass() = default;

  // One layer, or one position, further; true when all is read. With a trace in the context the weights are kept.
  virtual bool Step(Context& ctx) = 0;
  // Once it is: what the logits of every position are made of, [rows, d].
  virtual ConstMatrixView rows() const = 0;
};

class SequenceModel : public Decoder {
 public:
  virtual const SequenceConfig& config() const = 0;
  size_t vocabulary() const final { return config().vocabulary; }
  virtual WeightSlots Slots() = 0;

  // Teacher forcing: what the logits of every target piece are made of, [target rows, d]. Row t of a target segment has
  // read the target's rows up to t, and the source segment of the same number. `target` is what the decoder reads: the
  // start piece first.
  virtual MatrixView ForwardForTraining(Context& ctx, std::span<const int32_t> source, const Segments& source_segments,
                                        std::span<const int32_t> target, const Segments& target_segments) const = 0;

  // What a step of a pass over `rows` rows takes at most, whose attention sees at most `keys` of them, and what the
  // pass leaves to the decoder.
  virtual Room PassRoom(size_t rows, size_t keys, size_t threads) const = 0;

  // `ids` are the packed segments' pieces, </s> included; each segment at most max_positions long.
  virtual std::unique_ptr<EncoderPass> Encode(std::vector<int32_t> ids, const Segments& segments) const = 0;
  // `state` has one hypothesis; `read` is what the decoder reads, the start piece first.
  virtual std::unique_ptr<ForcedPass> Force(std::unique_ptr<DecoderState> state, std::vector<int32_t> read) const = 0;
};

}  // namespace qkv
