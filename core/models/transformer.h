// The encoder-decoder Transformer (Vaswani et al. 2017) in MarianMT's layout: post-norm residuals, or pre-norm ones
// (Xiong et al. 2020), sinusoidal positions, decoding from the start piece's row. The decoder reads the pieces before
// by self-attention or an SSRU. Whole sequences and decoding steps, inference, tracing and training use the same
// functions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/attention/segments.h"
#include "core/decode/decoder.h"
#include "core/layers/feed_forward.h"
#include "core/layers/multi_head.h"
#include "core/layers/norm.h"
#include "core/layers/ssru.h"
#include "core/layers/weight_slots.h"
#include "core/models/key_value_state.h"
#include "core/models/sequence_model.h"
#include "core/models/transformer_config.h"

namespace qkv {

struct EncoderLayer {
  MultiHead self;
  FeedForward feed_forward;
  Norm self_norm, final_norm;
};

struct DecoderLayer {
  MultiHead self, cross;
  Ssru ssru;  // replaces `self` if the config says so
  FeedForward feed_forward;
  Norm self_norm, cross_norm, final_norm;
};

// The state of decoding: the keys and values of cross-attention, projected once for each sentence, and the decoder's
// own past, as keys and values or as an SSRU's cells.
class TransformerState : public DecoderState {
 public:
  // `segment[h]` is the segment of the memory that hypothesis h reads.
  TransformerState(const TransformerConfig& config, const Segments& memory, std::vector<int32_t> segment);

  KeyValueState self;         // has no layers with an SSRU
  std::vector<Matrix> cells;  // a layer: [hypotheses, d]
  Segments memory;
  std::vector<int32_t> segment;
  std::vector<Matrix> keys, values;                      // a layer: [memory rows, d]
  std::vector<AttendedSegment> self_parts, cross_parts;  // reused from step to step
  std::vector<SsruPart> ssru_parts;
  std::vector<int32_t> segment_scratch;
  Matrix cell_scratch;
};

class Transformer : public SequenceModel {
 public:
  explicit Transformer(const TransformerConfig& config);

  // Sets options that change no slot, for a file that has them after its weights.
  void SetHeads(size_t heads, Activation activation, bool residual);
  // To be called when all weights are loaded: trained positions are used from now on.
  void TakePositions();

  const TransformerConfig& config() const override { return config_; }
  WeightSlots Slots() override;

  // The encoder. `ids` are the packed segments' pieces, </s> included; each segment at most max_positions long.
  MatrixView EmbedSource(Context& ctx, std::span<const int32_t> ids, const Segments& segments) const;
  // x [rows, d] -> [rows, d], layer by layer.
  MatrixView EncoderStep(Context& ctx, size_t layer, ConstMatrixView x, const Segments& segments) const;

  // The decoder by layers. First the projection of the memory, once for each sentence and layer:
  void ProjectMemory(Context& ctx, size_t layer, ConstMatrixView memory, TransformerState& state) const;
  // `tokens` holds the next `count` pieces of every hypothesis, one hypothesis after the other. Reserves the state's
  // rows.
  MatrixView EmbedTarget(Context& ctx, std::span<const int32_t> tokens, TransformerState& state) const;
  // x [hypotheses * count, d] -> the same shape.
  MatrixView DecoderStep(Context& ctx, size_t layer, ConstMatrixView x, TransformerState& state) const;

  MatrixView ForwardForTraining(Context& ctx, std::span<const int32_t> source, const Segments& source_segments,
                                std::span<const int32_t> target, const Segments& target_segments) const override;

  MemoryNeed PassMemoryNeed(size_t rows, size_t keys, size_t threads) const override;
  std::unique_ptr<EncoderPass> Encode(std::vector<int32_t> ids, const Segments& segments) const override;
  std::unique_ptr<ForcedPass> Force(std::unique_ptr<DecoderState> state, std::vector<int32_t> read) const override;

  // Decoder.
  MemoryNeed StepMemoryNeed(const DecoderState& state, size_t rows, size_t threads) const override;
  MatrixView Logits(Context& ctx, ConstMatrixView x, std::span<const int32_t> pieces = {}) const override;
  void LogitsInParts(Context& ctx, ConstMatrixView x, LogitsUse use) const override;
  MatrixView Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& state) const override;
  void Gather(std::span<const int32_t> hypotheses, DecoderState& state) const override;

 private:
  float scale() const;
  void SetLayers();
  const Weight& target_table() const { return config_.shared_embeddings ? source_ : target_; }
  const Weight& output_table() const { return config_.tied_output ? target_table() : output_; }
  MatrixView Embed(Context& ctx, const Weight& table, std::span<const int32_t> ids, const Segments& segments) const;
  MatrixView Embedded(Context& ctx, const Norm& norm, MatrixView x) const;
  // The output of self-attention or of the SSRU. `in` is the input; in training all target pieces are known.
  MatrixView ReadPast(Context& ctx, size_t layer, const Operand& in, TransformerState& state) const;
  MatrixView PastForTraining(Context& ctx, size_t layer, const Operand& in, const Segments& segments) const;
  // The rest of the layer. `past` is the result of ReadPast.
  MatrixView DecoderBlock(Context& ctx, size_t layer, ConstMatrixView x, MatrixView past,
                          std::span<const AttendedSegment> cross) const;
  ConstMatrixView Before(Context& ctx, const Norm& norm, ConstMatrixView x) const;
  MatrixView Residual(Context& ctx, const Norm& norm, MatrixView y, ConstMatrixView x) const;
  MatrixView Last(Context& ctx, const Norm& norm, bool is_last, MatrixView x) const;

  TransformerConfig config_;
  // Embeddings [vocabulary, d]; the last two only where they are not shared.
  Weight source_{Int8Layout::kRows}, target_{Int8Layout::kRows}, output_{Int8Layout::kRows};
  Vector logits_bias_;
  Matrix positions_;                                              // sinusoids, or a copy of those that were trained
  Weight trained_positions_;                                      // [max_positions, d]; empty with sinusoids
  Norm source_norm_, target_norm_, encoder_norm_, decoder_norm_;  // after the embeddings; after the last layers
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
};

}  // namespace qkv
