// The interface of a model for decoding: it reads pieces and writes logits. The state is opaque, so it can be a
// key/value cache, an SSRU or an LSTM with input feeding.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/context.h"
#include "core/base/function_ref.h"
#include "core/base/memory_need.h"

namespace qkv {

// Receives the logits of a part of the vocabulary. Column c of `logits` has the logits of the piece first + c. The
// function may change `logits`.
using LogitsUse = FunctionRef<void(size_t first, MatrixView logits)>;

class DecoderState {
 public:
  virtual ~DecoderState() = default;
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  // The number of pieces that the model can write.
  virtual size_t vocabulary() const = 0;

  // Reads one piece for each hypothesis: hypothesis h of the state reads tokens[h]. Row h of the result, in the
  // context's arena, is what its logits are computed from. The caller stays within the model's positions.
  virtual MatrixView Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& state) const = 0;

  // An upper bound of the memory that Step and Gather take, with `rows` hypotheses before and after.
  virtual MemoryNeed StepMemoryNeed(const DecoderState& state, size_t rows, size_t threads) const = 0;

  // The logits of rows that Step returned: [rows, pieces.size()] for the given pieces, or [rows, vocabulary] if
  // `pieces` is empty.
  virtual MatrixView Logits(Context& ctx, ConstMatrixView rows, std::span<const int32_t> pieces = {}) const = 0;

  // Computes the logits of all pieces in parts of the vocabulary. Calls `use` once for each part, in ascending order.
  // The number of pieces in a part is a multiple of kNormaliserPart. The last part may have any number of pieces.
  virtual void LogitsInParts(Context& ctx, ConstMatrixView rows, LogitsUse use) const { use(0, Logits(ctx, rows)); }

  // Replaces the state's hypotheses: the new hypothesis h continues the old hypotheses[h]. One may be named several
  // times (a beam splits) or not at all (it ends).
  virtual void Gather(std::span<const int32_t> hypotheses, DecoderState& state) const = 0;
};

}  // namespace qkv
