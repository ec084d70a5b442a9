// Transformers without positions, and without the division of scores by sqrt(d).
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/models/any_sequence_model.h"
#include "core/train/initialise.h"
#include "core/train/loss_pass.h"

namespace qkv {
namespace {

// Heads of four columns, whose square root is exact.
std::string Config(const std::string& more) {
  return R"({"model_type": "marian", "d_model": 8, "encoder_layers": 2, "decoder_layers": 1, "vocab_size": 12,
             "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16,
             "max_position_embeddings": 16, "eos_token_id": 0, "pad_token_id": 11)" +
         more + "}";
}

struct Model {
  explicit Model(const std::string& more) : model(std::move(*MakeSequenceModel(Config(more)))), slots(model->Slots()) {
    ReserveFloats(slots);
    parameters = std::make_unique<Parameters>(slots, /*gradients=*/false);
    Initialise(*parameters, 3);
  }
  // -log p of a target after a source.
  double Loss(std::vector<int32_t> source, std::vector<int32_t> target) {
    Batch batch;
    batch.AddPair(source, target, 11);
    Arena arena;
    ThreadPool pool(1);
    Context ctx{.arena = arena, .pool = pool};
    return LossPass(ctx, TrainableSequenceModel(*model), batch, 0, 0).negative;
  }
  std::unique_ptr<SequenceModel> model;
  WeightSlots slots;
  std::unique_ptr<Parameters> parameters;
};

TEST(TransformerVariants, WithoutPositionsTheOrderOfTheSourceDoesNotCount) {
  Model without(R"(, "position_frequencies": "none")"), with("");
  const double loss = without.Loss({1, 2, 3, 4, 0}, {3, 2, 0});
  EXPECT_NEAR(without.Loss({4, 2, 1, 3, 0}, {3, 2, 0}), loss, 1e-5);
  EXPECT_GT(std::abs(without.Loss({1, 2, 3, 5, 0}, {3, 2, 0}) - loss), 1e-3);  // its pieces do
  EXPECT_GT(std::abs(with.Loss({4, 2, 1, 3, 0}, {3, 2, 0}) - with.Loss({1, 2, 3, 4, 0}, {3, 2, 0})), 1e-3);
}

TEST(TransformerVariants, WithoutTheScaleItIsTheModelWhoseQueriesAreLargerByItsRoot) {
  Model raw(R"(, "scale_attention": false)"), scaled("");
  EXPECT_GT(std::abs(raw.Loss({1, 2, 3, 0}, {4, 5, 0}) - scaled.Loss({1, 2, 3, 0}, {4, 5, 0})), 1e-4);
  for (LearntParameter& p : scaled.parameters->all()) {
    if (p.name.find("q_proj") == std::string::npos) continue;
    for (size_t i = 0; i < p.size; ++i) p.value[i] *= 2;
  }
  EXPECT_EQ(raw.Loss({1, 2, 3, 0}, {4, 5, 0}), scaled.Loss({1, 2, 3, 0}, {4, 5, 0}));
}

TEST(TransformerVariants, NamesTheChoicesOfPositions) {
  const Result<std::unique_ptr<SequenceModel>> refused =
      MakeSequenceModel(Config(R"(, "position_frequencies": "rotary")"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().ToString().find("position_frequencies: \"rotary\" is not one of paper, marian, none"),
            std::string::npos)
      << refused.error().ToString();
}

}  // namespace
}  // namespace qkv
