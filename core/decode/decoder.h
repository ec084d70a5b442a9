// What decoding knows of a model: it reads pieces and writes logits. The state is opaque, so that a key/value cache, an
// SSRU and an LSTM with input feeding all fit.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/context.h"

namespace qkv {

class DecoderState {
 public:
  virtual ~DecoderState() = default;
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  // Pieces that it can write: the columns of its logits.
  virtual size_t vocabulary() const = 0;

  // One piece further: hypothesis h of the state reads tokens[h] and gets logits in row h, [hypotheses, vocabulary], in
  // the context's arena. The caller stays within the model's positions.
  virtual MatrixView Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& state) const = 0;

  // The state's hypotheses become those named: hypothesis h continues the former hypotheses[h]. One may be named
  // several times (a beam splits) or not at all (it ends).
  virtual void Gather(std::span<const int32_t> hypotheses, DecoderState& state) const = 0;
};

}  // namespace qkv
