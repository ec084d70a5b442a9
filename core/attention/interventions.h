// Changes to a forward pass: attention weights that are computed in another way, and blocks of layers that are switched
// off. The caller asks for them by putting Interventions into the Context. Without them one pointer is tested for each
// row of weights, and nothing else differs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/attention/trace.h"
#include "core/base/context.h"

namespace qkv {

// What of a layer can be switched off besides its heads.
enum class Block { kFeedForward, kLayer };

// One query's row of an attention.
struct ChangedRow {
  AttentionPlace place;
  size_t head, query;
  size_t first_key;         // the place of the key of logits[0]
  std::span<float> logits;  // of the keys that the query may see; -inf where one is masked
};

// What is changed, for any sentence of a call. The description of a user is core/explain/change_list.h.
class PassChanges {
 public:
  virtual ~PassChanges() = default;

  // Turns the logits of a row into its weights, in place: the softmax, except for what is changed. Returns whether the
  // weights are given, so that no window shapes them.
  virtual bool ChangedSoftmax(size_t sentence, const ChangedRow& row) const = 0;
  // Whether a block of a layer of the encoder, or of the decoder, is off.
  virtual bool IsOff(size_t sentence, Block block, bool decodes, size_t layer) const = 0;
};

// The changes of one pass over a batch.
class Interventions {
 public:
  // Segment s of the batch is sentence first + sentences[s]. Both arguments outlive this.
  Interventions(const PassChanges& changes, std::span<const size_t> sentences, size_t first)
      : changes_(changes), sentences_(sentences), first_(first) {}
  // Hypothesis h is sentence h, whichever segment it reads, and segment s is sentence s.
  explicit Interventions(const PassChanges& changes) : changes_(changes) {}

  bool ChangedSoftmax(size_t segment, size_t hypothesis, const ChangedRow& row) const {
    return changes_.ChangedSoftmax(Sentence(segment, hypothesis), row);
  }
  bool IsOff(size_t segment, size_t hypothesis, Block block, bool decodes, size_t layer) const {
    return changes_.IsOff(Sentence(segment, hypothesis), block, decodes, layer);
  }

 private:
  size_t Sentence(size_t segment, size_t hypothesis) const {
    return sentences_.empty() ? hypothesis : first_ + sentences_[segment];
  }

  const PassChanges& changes_;
  std::span<const size_t> sentences_;
  size_t first_ = 0;
};

// The context with these interventions, if there are any.
inline Context With(const Context& ctx, const std::optional<Interventions>& interventions) {
  Context changed = ctx;
  changed.interventions = interventions ? &*interventions : nullptr;
  return changed;
}

}  // namespace qkv
