// The encoder-only Transformer: BERT (Devlin et al. 2018), DistilBERT (Sanh et al. 2019) and RoBERTa (Liu et al. 2019),
// in the layouts of Hugging Face's files. Post-norm; learned positions; the heads for masked pieces, for sequences, for
// each piece and for answers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/attention/segments.h"
#include "core/base/room.h"
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

  // What Embed or Step takes at most, over `rows` rows of segments no longer than `longest`, and what they leave.
  Room PassRoom(size_t rows, size_t longest, size_t threads) const;

  // `ids` and `types` [rows] of the packed segments, each at most longest() long -> [rows, d].
  MatrixView Embed(Context& ctx, std::span<const int32_t> ids, std::span<const int32_t> types,
                   const Segments& segments) const;
  // x [rows, d] -> [rows, d], layer by layer.
  MatrixView Step(Context& ctx, size_t layer, ConstMatrixView x, const Segments& segments) const;

  // Those rows of the last layer that are asked, [asked.size(), d]: what the head's logits are made of.
  MatrixView ForwardForTraining(Context& ctx, std::span<const int32_t> ids, std::span<const int32_t> types,
                                const Segments& segments, std::span<const int32_t> asked) const;

  // The head on rows of the last layer. kMasked: [rows, vocabulary]; kTokens: [rows, labels]; kAnswer: [rows, 2], where
  // an answer begins and where it ends; kSequence: [rows, labels], where the rows are the first of each text.
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
  // Of the heads: a layer before the last one, its norm, and the last one, which for masked pieces is the table.
  Linear dense_, last_;
  Norm head_norm_;
};

}  // namespace qkv
