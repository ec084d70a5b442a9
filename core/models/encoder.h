// The encoder-only Transformer: BERT (Devlin et al. 2018), DistilBERT (Sanh et al. 2019) and RoBERTa (Liu et al. 2019),
// in the layouts of Hugging Face's files. It has post-norm layers, learned positions, and heads for masked pieces, for
// sequences, for each piece and for answers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/attention/segments.h"
#include "core/base/memory_need.h"
#include "core/layers/feed_forward.h"
#include "core/layers/multi_head.h"
#include "core/layers/norm.h"
#include "core/layers/weight_slots.h"
#include "core/models/encoder_config.h"

namespace qkv {

class Encoder {
 public:
  explicit Encoder(EncoderConfig config);

  const EncoderConfig& config() const { return config_; }
  WeightSlots Slots();

  // An upper bound of the memory that Embed or Step takes and leaves, over `rows` rows of segments of at most `longest`
  // rows.
  MemoryNeed PassMemoryNeed(size_t rows, size_t longest, size_t threads) const;

  // `ids` and `types` [rows] of the packed segments, each at most longest() long -> [rows, d].
  MatrixView Embed(Context& ctx, std::span<const int32_t> ids, std::span<const int32_t> types,
                   const Segments& segments) const;
  // x [rows, d] -> [rows, d], layer by layer.
  MatrixView Step(Context& ctx, size_t layer, ConstMatrixView x, const Segments& segments) const;

  // The rows `labelled` of the last layer, [labelled.size(), d], from which the head's logits are computed.
  MatrixView ForwardForTraining(Context& ctx, std::span<const int32_t> ids, std::span<const int32_t> types,
                                const Segments& segments, std::span<const int32_t> labelled) const;

  // The head on rows of the last layer. kMasked: [rows, vocabulary]; kTokens: [rows, labels]; kAnswer: [rows, 2], the
  // logits of an answer's beginning and end; kSequence: [rows, labels], where `x` is the first row of each text.
  MatrixView Logits(Context& ctx, ConstMatrixView x) const;

 private:
  struct Layer {
    MultiHead self;
    FeedForward feed_forward;
    Norm self_norm, final_norm;
  };
  void LayerSlots(WeightSlots& slots, const std::string& name, Layer& layer);
  void HeadSlots(WeightSlots& slots);

  EncoderConfig config_;
  Weight pieces_{Int8Layout::kRows}, positions_{Int8Layout::kRows}, types_{Int8Layout::kRows};
  Norm embedding_norm_;
  std::vector<Layer> layers_;
  // The head: a layer before the last one, its norm, and the last layer, which for masked pieces is the embedding
  // table.
  Linear dense_, last_;
  Norm head_norm_;
};

}  // namespace qkv
