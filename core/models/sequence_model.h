// The interface of all sequence-to-sequence models for training and decoding.
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

// The encoder over packed sentences, in short steps. Between steps it keeps nothing in the arena.
class EncoderPass {
 public:
  virtual ~EncoderPass() = default;

  // Computes one layer; returns true when all is read.
  virtual bool Step(Context& ctx) = 0;
  // To be called once, when Step has returned true: the state of hypotheses that have read nothing yet. Hypothesis h
  // belongs to sentence segment[h].
  virtual std::unique_ptr<DecoderState> Start(Context& ctx, std::vector<int32_t> segment) = 0;
};

// The decoder over a known target, in short steps. Between steps it keeps nothing in the arena.
class ForcedPass {
 public:
  virtual ~ForcedPass() = default;

  // Computes one layer or one position; returns true when all is read. If the context has a trace, the weights are
  // kept.
  virtual bool Step(Context& ctx) = 0;
  // To be called when Step has returned true: the rows from which the logits of every position are computed,
  // [hypotheses * positions, d].
  virtual ConstMatrixView rows() const = 0;
};

class SequenceModel : public Decoder {
 public:
  virtual const SequenceConfig& config() const = 0;
  size_t vocabulary() const final { return config().vocabulary; }
  virtual WeightSlots Slots() = 0;

  // Teacher forcing: the rows from which the logits of every target piece are computed, [target rows, d]. Row t of a
  // target segment has read the target's rows up to t, and the source segment of the same number. `target` is the
  // decoder's input, which begins with the start piece.
  virtual MatrixView ForwardForTraining(Context& ctx, std::span<const int32_t> source, const Segments& source_segments,
                                        std::span<const int32_t> target, const Segments& target_segments) const = 0;

  // An upper bound of the memory of one step of a pass over `rows` rows whose attention sees at most `keys` rows, and
  // of what the pass leaves to the decoder.
  virtual MemoryNeed PassMemoryNeed(size_t rows, size_t keys, size_t threads) const = 0;

  // `ids` are the packed segments' pieces, </s> included; each segment at most max_positions long.
  virtual std::unique_ptr<EncoderPass> Encode(std::vector<int32_t> ids, const Segments& segments) const = 0;
  // `read` is the decoder's input for each hypothesis of the state, one after the other: as many pieces for each, and
  // each begins with the start piece. With a trace there is one hypothesis.
  virtual std::unique_ptr<ForcedPass> Force(std::unique_ptr<DecoderState> state, std::vector<int32_t> read) const = 0;
};

}  // namespace qkv
