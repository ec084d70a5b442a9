// The backward of attention against differences of its forward, for every combination of score, window and selection.
// Lengths that are computed in parts, threads, segments, and NaN and infinities that no query sees are tested too.
#include "core/attention/attend_backward.h"

#include <limits>
#include <memory>

#include "core/attention/likelihood.h"
#include "tests/core/attention_changeable.h"

namespace qkv {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

constexpr WindowKind kWindows[] = {WindowKind::kGlobal, WindowKind::kLocalM, WindowKind::kLocalP};

void ForEachCombination(const std::function<void(Choices&)>& run) {
  uint32_t turn = 0;
  for (const Score* score : Scores()) {
    for (const WindowKind window : kWindows) {
      for (const SelectionKind selection : kSelections) {
        SCOPED_TRACE(std::string(score->name) + ", " + std::string(kWindowNames[static_cast<size_t>(window)]) + ", " +
                     std::string(kSelectionNames[static_cast<size_t>(selection)]));
        Choices choices;
        choices.score = score;
        choices.window = window;
        choices.selection = selection;
        ++turn;
        choices.centres_given = turn % 2 == 0;
        choices.bias = turn % 3 != 0;
        choices.causal = turn % 4 == 0;
        choices.per_head = turn % 5 < 3;
        if (!score->same_dims) choices.sizes.key_dim = 4;
        run(choices);
      }
    }
  }
}

TEST(AttentionBackward, IsTheSlopeOfEveryCombination) {
  ForEachCombination([](Choices& choices) {
    // A draw has no derivative.
    if (choices.selection == SelectionKind::kSampled && choices.window != WindowKind::kLocalP) return;
    auto kept = std::make_unique<Changeable>(choices);
    for (uint32_t seed = 2; !kept->ClearOfEdges(); ++seed) {
      ASSERT_LT(seed, 2000u);
      kept = std::make_unique<Changeable>(choices, seed);
    }
    Changeable& setup = *kept;
    Named gradients = setup.Backward();
    if (choices.selection == SelectionKind::kSampled) {
      // The draw changes with the logits.
      const bool given = choices.centres_given;
      for (auto it = gradients.begin(); it != gradients.end();) {
        const bool stays = it->first == "value" || (given && it->first == "centres");
        it = stays ? std::next(it) : gradients.erase(it);
      }
    }
    // A sparse selection has kinks, which a smaller step seldom crosses.
    const double step = setup.call().selection.sparse() ? 5e-4 : 2e-3;
    ExpectSlope(setup.x(), gradients, [&] { return setup.LossOfForward(); }, step);
  });
}

// There are more queries than a group holds, and more keys than one chain of the product. No count is a multiple of a
// vector's width.
TEST(AttentionBackward, IsTheSlopeAtLengthsThatAreWorkedOnInParts) {
  for (const Score* score : Scores()) {
    for (const WindowKind window : kWindows) {
      SCOPED_TRACE(std::string(score->name) + ", " + std::string(kWindowNames[static_cast<size_t>(window)]));
      Choices choices;
      choices.score = score;
      choices.window = window;
      choices.causal = true;
      choices.sizes = {
          .heads = 2, .key_heads = 1, .queries = 101, .keys = 299, .query_dim = 9, .key_dim = 9, .value_dim = 17};
      Changeable setup(choices);
      setup.call().mask.first_query = 190;
      // There is no edge that a step could cross.
      setup.call().window.half_width = window == WindowKind::kLocalP ? 400 : 40;
      const Named gradients = setup.Backward();
      ExpectSlope(setup.x(), gradients, [&] { return setup.LossOfForward(); }, 5e-3);
      EXPECT_EQ(gradients, setup.Backward(3));
    }
  }
}

TEST(AttentionBackward, UsedKeysAreThoseOfTheForward) {
  for (const bool bias : {false, true}) {
    Choices choices;
    choices.mask_used = true;
    choices.bias = bias;
    Changeable setup(choices);
    ExpectSlope(setup.x(), setup.Backward(), [&] { return setup.LossOfForward(); }, 1e-3);
  }
}

TEST(AttentionBackward, GradientsOfWeightsReachEverything) {
  for (const SelectionKind selection : {SelectionKind::kSoft, SelectionKind::kGate}) {
    Choices choices;
    choices.selection = selection;
    choices.window = WindowKind::kLocalP;
    Changeable setup(choices);
    const size_t size = choices.sizes.heads * choices.sizes.queries * choices.sizes.keys;
    std::vector<float> of_weights(size);
    for (size_t i = 0; i < size; ++i) of_weights[i] = GeneratedValue(77, static_cast<uint32_t>(i));
    AttentionLoss loss;
    loss.weights = of_weights.data();
    Named gradients = Gradients(setup.call(), setup.In(), loss);
    EXPECT_EQ(Dot(gradients["value"], gradients["value"]), 0);
    gradients.erase("value");
    ExpectSlope(setup.x(), gradients, [&] {
      const AttentionOutcome out = Attended(setup.call(), setup.In());
      return std::inner_product(of_weights.begin(), of_weights.end(), out.weights.read().data(), 0.0);
    });
  }
}

// The gradients of packed segments equal those of each segment alone.
TEST(AttentionBackward, SegmentsAreWorkedOnByThemselves) {
  for (const Score* score : Scores()) {
    for (const WindowKind window : {WindowKind::kGlobal, WindowKind::kLocalP}) {
      SCOPED_TRACE(score->name);
      Choices choices;
      choices.score = score;
      choices.window = window;
      choices.sizes.queries = 9;
      choices.sizes.keys = 14;
      Changeable setup(choices);
      Segments queries, keys;
      for (const size_t length : {4, 0, 3, 2}) queries.Add(length);
      for (const size_t length : {5, 3, 0, 6}) keys.Add(length);
      const AttentionInputs in = setup.In();
      const AttentionLoss loss = setup.Loss();
      Arena arena;
      Named results[2];
      for (const size_t threads : {1, 3}) {
        ThreadPool pool(threads);
        Context ctx{arena, pool};
        const GatheredGradients all(setup.call(), in);
        AttendSegmentsBackward(ctx, setup.call(), in, queries, keys, loss, all.to());
        results[threads / 3] = all.named();
      }
      EXPECT_EQ(results[0], results[1]);
      ThreadPool pool;
      Context ctx{arena, pool};
      const GatheredGradients single(setup.call(), in);
      for (size_t s = 0; s < queries.size(); ++s) {
        const size_t first = queries.begin(s), count = queries.length(s), key = keys.begin(s), length = keys.length(s);
        AttentionLoss part;
        part.output = loss.output.Slice(first, count);
        AttentionGradients to = single.to();
        to.query = to.query.Slice(first, count);
        to.key = to.key.Slice(key, length);
        to.value = to.value.Slice(key, length);
        AttendBackward(ctx, setup.call(),
                       {in.query.Slice(first, count), in.key.Slice(key, length), in.value.Slice(key, length)}, part,
                       to);
      }
      for (const auto& [name, values] : single.named()) {
        ASSERT_EQ(values.size(), results[0][name].size());
        const double size = std::sqrt(Dot(values, values));
        for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], results[0][name][i], 1e-6 * size) << name;
      }
    }
  }
}

// When a single gradient is asked for, the others are not written and it has the same value.
TEST(AttentionBackward, GivesWhatIsWantedAlone) {
  Choices choices;
  choices.score = FindScore("additive");
  choices.window = WindowKind::kLocalP;
  choices.bias = true;
  Changeable setup(choices);
  const Named all = setup.Backward();
  const AttentionInputs in = setup.In();
  Arena arena;
  ThreadPool pool;
  Context ctx{arena, pool};
  const GatheredGradients wanted(setup.call(), in);
  AttentionGradients to;
  to.key = wanted.to().key;
  AttendBackward(ctx, setup.call(), in, setup.Loss(), to);
  EXPECT_EQ(wanted.named().at("key"), all.at("key"));
  AttendBackward(ctx, setup.call(), in, setup.Loss(), {});
}

// NaN and infinities.

// Key 5 from every query, and every key from query 3.
void HideByBytes(Changeable& setup, std::vector<uint8_t>& allowed, bool queries) {
  const AttentionInputs in = setup.In();
  allowed.assign(in.query.rows * in.key.rows, 1);
  for (size_t i = 0; i < in.query.rows; ++i) {
    allowed[i * in.key.rows + 5] = 0;
    for (size_t j = 0; j < in.key.rows && queries && i == 3; ++j) allowed[i * in.key.rows + j] = 0;
  }
  setup.call().mask.allowed = allowed.data();
}

void SpoilRow(std::vector<float>& values, size_t heads, size_t row, float with) {
  const size_t of_head = values.size() / heads;
  const size_t rows = heads == 4 ? 7 : 11, dim = of_head / rows;
  for (size_t h = 0; h < heads; ++h) {
    for (size_t c = 0; c < dim; ++c) values[h * of_head + row * dim + c] = with;
  }
}

TEST(AttentionBackward, WhatIsHiddenPassesNothing) {
  ForEachCombination([](Choices& choices) {
    choices.centres_given = true;  // The place is predicted from NaN, so every key is seen.
    for (const bool by_bias : {false, true}) {
      choices.bias = by_bias;
      Changeable clean(choices), spoilt(choices);
      std::vector<uint8_t> allowed;
      Named gradients[2];
      for (Changeable* setup : {&clean, &spoilt}) {
        if (by_bias) {
          const size_t keys = choices.sizes.keys;
          std::vector<float>& bias = setup->x()["bias"];
          for (size_t i = 0; i < bias.size(); ++i) {
            if (i % keys == 5 || i / keys % choices.sizes.queries == 3) bias[i] = kMasked;
          }
        } else {
          HideByBytes(*setup, allowed, true);
        }
        if (setup == &spoilt) {
          SpoilRow(setup->x()["key"], 2, 5, kNaN);
          SpoilRow(setup->x()["value"], 2, 5, kInfinity);
          SpoilRow(setup->x()["query"], 4, 3, kNaN);
          SpoilRow(setup->x()["output gradient"], 4, 3, kInfinity);
        }
        gradients[setup == &spoilt ? 1 : 0] = setup->Backward();
      }
      for (const auto& [name, values] : gradients[0]) {
        const double size = std::sqrt(Dot(values, values));
        for (size_t i = 0; i < values.size(); ++i) {
          ASSERT_NEAR(values[i], gradients[1][name][i], 1e-5 * size) << name << " " << i;
        }
      }
      SpoilRow(gradients[1]["key"], 2, 0, 1);
      const size_t dim = choices.sizes.key_dim;
      for (size_t c = 0; c < dim; ++c) EXPECT_EQ(gradients[1]["key"][5 * dim + c], 0);
      for (size_t c = 0; c < choices.sizes.query_dim; ++c) {
        EXPECT_EQ(gradients[1]["query"][3 * choices.sizes.query_dim + c], 0);
      }
    }
  });
}

// A NaN that one query sees reaches that query's gradient and those of the keys that it sees, and no other gradient.
TEST(AttentionBackward, ANaNStaysWithWhatSeesIt) {
  for (const Score* score : Scores()) {
    for (const char* where : {"query", "output gradient"}) {
      SCOPED_TRACE(std::string(score->name) + ", " + where);
      Choices choices;
      choices.score = score;
      choices.causal = true;
      Changeable setup(choices);
      SpoilRow(setup.x()[where], 4, 3, kNaN);
      const Named g = setup.Backward();
      const size_t dim = choices.sizes.query_dim, value_dim = choices.sizes.value_dim;
      for (size_t i = 0; i < choices.sizes.queries; ++i) EXPECT_EQ(std::isnan(g.at("query")[i * dim]), i == 3) << i;
      for (size_t j = 0; j < choices.sizes.keys; ++j) {
        if (score->name != "location") EXPECT_EQ(std::isnan(g.at("key")[j * dim]), j <= 5) << j;
        EXPECT_EQ(std::isnan(g.at("value")[j * value_dim]), j <= 5) << j;
      }
    }
  }
}

TEST(AttentionBackward, RowsOfZerosHaveNoCosineAndNoNaN) {
  Choices choices;
  choices.score = FindScore("cosine");
  Changeable setup(choices);
  SpoilRow(setup.x()["query"], 4, 3, 0);
  SpoilRow(setup.x()["key"], 2, 5, 0);
  for (const auto& [name, values] : setup.Backward()) {
    for (const float value : values) ASSERT_TRUE(std::isfinite(value)) << name;
  }
}

TEST(AttentionBackward, OfNothingIsNothing) {
  for (const auto& [queries, keys] : {std::pair<size_t, size_t>{0, 3}, {3, 0}, {0, 0}}) {
    for (const Score* score : Scores()) {
      Choices choices;
      choices.score = score;
      choices.sizes.queries = queries;
      choices.sizes.keys = keys;
      Changeable setup(choices);
      for (const auto& [name, values] : setup.Backward(2)) {
        for (const float value : values) EXPECT_EQ(value, 0) << name;
      }
    }
  }
}

}  // namespace
}  // namespace qkv
