// The gradients of attention weights that a trainer gives, beside differences of its loss: a bias is added to one
// logit, and through the softmax d loss / d logit_j is w_j (g_j - sum_k w_k g_k) with the gradients g of the weights w.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "core/attention/interventions.h"
#include "core/attention/trace.h"
#include "core/kernels/softmax.h"
#include "core/models/any_sequence_model.h"
#include "core/train/initialise.h"
#include "core/train/trainer.h"

namespace qkv {
namespace {

// Adds `bias` to one logit, and keeps the weights that come of the logits.
class OneBias : public PassChanges {
 public:
  AttentionPlace place = {AttentionKind::kCross, 0};
  size_t head = 0, query = 0, key = 0;
  float bias = 0;
  mutable AttentionTrace seen;

  bool ChangedSoftmax(size_t, const ChangedRow& row) const override {
    const bool is_it = row.place.kind == place.kind && row.place.layer == place.layer && row.head == head &&
                       row.query == query && key >= row.first_key && key - row.first_key < row.logits.size();
    if (is_it) row.logits[key - row.first_key] += bias;
    Softmax({row.logits.data(), 1, static_cast<Eigen::Index>(row.logits.size())});
    const AttentionMap& map = seen.Map(row.place.kind);
    float* to = seen.Weights(row.place);
    if (to != nullptr) {
      std::copy(row.logits.begin(), row.logits.end(),
                to + (row.head * map.targets + row.query) * map.sources + row.first_key);
    }
    return false;
  }
  bool IsOff(size_t, Block, bool, size_t) const override { return false; }
};

const std::string kTokens = R"("vocab_size": 9, "max_position_embeddings": 16, "pad_token_id": 8, "eos_token_id": 0,
                               "decoder_start_token_id": 8, "dropout": 0, )";
const std::string kRecurrent = kTokens + R"("model_type": "qkv-rnn", "d_model": 6, "encoder_layers": 1,
                                            "decoder_layers": 1, )";
const std::string kTransformer = kTokens + R"("model_type": "marian", "d_model": 8, "encoder_layers": 2,
    "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 8,
    "decoder_ffn_dim": 8, "activation_function": "relu", "scale_embedding": true, "static_position_embeddings": true,
    "is_encoder_decoder": true, "attention_dropout": 0, "activation_dropout": 0,
    "share_encoder_decoder_embeddings": true)";

class AttentionGradients : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto made = MakeSequenceModel("{" + GetParam() + "}");
    ASSERT_TRUE(made) << made.error().ToString();
    model_ = std::move(*made);
    WeightSlots slots = model_->Slots();
    ReserveFloats(slots);
    Parameters parameters(slots, /*gradients=*/false);
    Initialise(parameters, 3);
    // Larger weights than training begins with, so that rows of attention are far from uniform.
    for (LearntParameter& p : parameters.all()) {
      if (p.matrix) std::transform(p.value, p.value + p.size, p.value, [](float x) { return 2 * x; });
    }
    trainable_ = std::make_unique<TrainableSequenceModel>(*model_);
    trainer_ = std::make_unique<Trainer>(*trainable_, slots, 8, TrainerOptions{}, 1);
    pair_.AddPair(std::vector<int32_t>{1, 4, 2, 0}, std::vector<int32_t>{5, 3, 6, 7, 0}, 8);
  }

  void Reserve(AttentionTrace& trace) const {
    const SequenceConfig& shape = model_->config();
    const size_t read = pair_.source.size(), written = pair_.target_out.size();
    trace.Reserve(AttentionKind::kEncoderSelf, shape.encoder_self.layers, shape.encoder_self.heads, read, read);
    trace.Reserve(AttentionKind::kDecoderSelf, shape.decoder_self.layers, shape.decoder_self.heads, written, written);
    trace.Reserve(AttentionKind::kCross, shape.cross.layers, shape.cross.heads, written, read);
  }

  double LossWith(const OneBias& bias) const {
    Arena arena;
    ThreadPool pool(1);
    const std::vector<size_t> sentences = {0};
    const Interventions interventions(bias, sentences, 0);
    Context ctx{.arena = arena, .pool = pool, .interventions = &interventions};
    return LossPass(ctx, *trainable_, pair_, 0, 0).negative;
  }

  std::unique_ptr<SequenceModel> model_;
  std::unique_ptr<TrainableSequenceModel> trainable_;
  std::unique_ptr<Trainer> trainer_;
  Batch pair_;
};

TEST_P(AttentionGradients, AreThoseOfTheLoss) {
  AttentionTrace gradients;
  Reserve(gradients);
  const double loss = trainer_->AttentionGradients(pair_, gradients);
  OneBias bias;
  Reserve(bias.seen);
  EXPECT_NEAR(loss, LossWith(bias), 1e-4);
  const AttentionTrace weights = bias.seen;
  constexpr float kBy = 0.02f;
  size_t compared = 0;
  double largest = 0;
  for (const AttentionKind kind : {AttentionKind::kEncoderSelf, AttentionKind::kDecoderSelf, AttentionKind::kCross}) {
    const AttentionMap &g = gradients.Map(kind), &w = weights.Map(kind);
    for (size_t at = 0; at < g.weights.size(); ++at) {
      const size_t row = at / g.sources;
      double mean = 0;
      for (size_t k = row * g.sources; k < (row + 1) * g.sources; ++k) {
        mean += static_cast<double>(w.weights[k]) * g.weights[k];
      }
      bias.place = {kind, row / g.targets / g.heads};
      bias.head = row / g.targets % g.heads;
      bias.query = row % g.targets;
      bias.key = at % g.sources;
      bias.bias = kBy;
      const double above = LossWith(bias);
      bias.bias = -kBy;
      const double slope = (above - LossWith(bias)) / (2.0 * kBy);
      EXPECT_NEAR(w.weights[at] * (g.weights[at] - mean), slope, 2e-4 + 0.01 * std::abs(slope)) << at;
      largest = std::max(largest, std::abs(slope));
      ++compared;
    }
  }
  EXPECT_GE(compared, 20u);
  EXPECT_GT(largest, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Models, AttentionGradients,
                         testing::Values(kRecurrent + R"("variant": "luong", "score": "general")",
                                         kRecurrent + R"("variant": "bahdanau")",
                                         kRecurrent +
                                             R"("variant": "luong", "self_attention_heads": 2, "bidirectional": true)",
                                         kTransformer));

}  // namespace
}  // namespace qkv
