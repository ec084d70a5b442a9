// Recurrent encoder-decoders: plain (Sutskever et al. 2014; Cho et al. 2014), with attention before the step (Bahdanau
// et al. 2014) and after it (Luong et al. 2015). One class for all; core/models/rnn_config.h has its choices. Training
// and decoding use the same step functions with other numbers of rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/layers/multi_head.h"
#include "core/layers/norm.h"
#include "core/layers/recurrent.h"
#include "core/layers/step_attention.h"
#include "core/models/rnn_config.h"
#include "core/models/rnn_steps.h"
#include "core/models/sequence_model.h"

namespace qkv {

// The encoder's output: [rows, ...] of all sentences, and [sentences, ...].
struct RnnMemory {
  Segments segments;
  Matrix keys, values;                         // keys are empty if they equal the values
  Matrix summary;                              // the last state of the top layer
  std::vector<Matrix> last_hidden, last_cell;  // of each encoder layer
};

class RnnState : public DecoderState {
 public:
  RnnMemory memory;
  std::vector<int32_t> segment;      // of each hypothesis
  std::vector<Matrix> hidden, cell;  // a layer: [hypotheses, d]
  Matrix attended;                   // h~, [hypotheses, d], with input feeding
  size_t length = 0;                 // pieces read
};

class RnnSeq2Seq : public SequenceModel {
 public:
  explicit RnnSeq2Seq(const RnnConfig& config);

  const RnnConfig& config() const override { return config_; }
  WeightSlots Slots() override;
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

  // The encoder by layers: the embeddings [rows, d_embedding], then x [rows, ...] -> states.
  MatrixView EmbedSource(Context& ctx, std::span<const int32_t> ids) const;
  RecurrentOutput EncoderLayer(Context& ctx, size_t layer, ConstMatrixView x, const Segments& segments) const;
  // Optional self-attention over the states: norm(x + attention(x)), the first half of a Transformer layer.
  MatrixView SelfAttend(Context& ctx, ConstMatrixView x, const Segments& segments) const;
  // The first state of a layer of the decoder, from the encoder's last states.
  CellRows FirstState(Context& ctx, size_t layer, std::span<const CellRows> last) const;

 private:
  struct Bridge {
    Linear hidden, cell;
  };

  uint64_t StepScratch(uint64_t rows, uint64_t keys) const;
  const Weight& target_table() const { return config_.shared_embeddings ? source_ : target_; }
  const Weight& output_table() const { return config_.tied_output ? target_table() : output_; }

  RnnConfig config_;
  // Embeddings [vocabulary, d_embedding], and the output's table [vocabulary, d] if it is not tied.
  Weight source_{Int8Layout::kRows}, target_{Int8Layout::kRows}, output_{Int8Layout::kRows};
  Vector logits_bias_;
  std::vector<RecurrentLayer> encoder_;
  MultiHead self_;
  Norm self_norm_;
  std::vector<Bridge> bridges_;
  RnnDecoder decoder_;
};

}  // namespace qkv
