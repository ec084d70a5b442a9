// What decoding knows of a model: it reads pieces and writes logits. The state is opaque, so that a key/value cache, an
// SSRU and an LSTM with input feeding all fit.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/context.h"
#include "core/base/room.h"

namespace qkv {

class DecoderState {
 public:
  virtual ~DecoderState() = default;
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  // Pieces that it can write.
  virtual size_t vocabulary() const = 0;

  // One piece further: hypothesis h of the state reads tokens[h] and gets row h of what its logits are made of, in the
  // context's arena. The caller stays within the model's positions.
  virtual MatrixView Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& state) const = 0;

  // What Step and Gather take at most, of `rows` hypotheses before and after.
  virtual Room StepRoom(const DecoderState& state, size_t rows, size_t threads) const = 0;

  // The logits of rows that Step made, [rows, pieces.size()], for the pieces that are asked for; [rows, vocabulary]
  // where none are.
  virtual MatrixView Logits(Context& ctx, ConstMatrixView rows, std::span<const int32_t> pieces = {}) const = 0;

  // The state's hypotheses become those named: hypothesis h continues the former hypotheses[h]. One may be named
  // several times (a beam splits) or not at all (it ends).
  virtual void Gather(std::span<const int32_t> hypotheses, DecoderState& state) const = 0;
};

}  // namespace qkv
