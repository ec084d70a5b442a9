// The backward of attention against differences of its own forward, for every combination of score, window and
// selection and for lengths that are worked on in parts; on threads; in segments; with NaN and infinities where nobody
// looks; and as layers record it.
#include "core/attention/attend_backward.h"
#include "core/attention/likelihood.h"

#include <algorithm>
#include <numeric>

#include "core/base/tape.h"
#include "core/layers/attention_layer.h"
#include "core/layers/positions.h"
#include "tests/core/attention_gradients.h"
#include "tests/core/attention_random.h"

namespace qkv {
namespace {

using Named = std::map<std::string, std::vector<float>>;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Choices {
  const Score* score = &kScaledDot;
  SelectionKind selection = SelectionKind::kSoft;
  WindowKind window = WindowKind::kGlobal;
  bool centres_given = false, bias = false, causal = false, mask_used = false, per_head = true;
  float temperature = 1.25f;
  ProblemSizes sizes = {
      .heads = 4, .key_heads = 2, .queries = 7, .keys = 11, .query_dim = 6, .key_dim = 6, .value_dim = 5};
};

// A call whose every number can be changed.
class Changeable {
 public:
  explicit Changeable(const Choices& choices, uint32_t seed = 1) : c_(choices), seed_(seed * 100) {
    const ProblemSizes& s = c_.sizes;
    const size_t heads = c_.per_head ? s.heads : 1;
    Add("query", s.heads * s.queries * s.query_dim);
    Add("key", s.key_heads * s.keys * s.key_dim);
    Add("value", s.key_heads * s.keys * s.value_dim);
    for (const ParameterSpec& spec : c_.score->parameters) {
      const size_t rows = Number(spec.rows), columns = Number(spec.columns);
      const bool scalar = rows * columns == 1 && spec.optional;
      std::vector<float>& values = Add(std::string(spec.name), heads * rows * columns, scalar ? 0.25f : 1);
      for (float& value : values) value += scalar ? 0.75f : 0;
      parameters_.push_back({spec.name, Dense<const float>(values.data(), heads, rows, columns)});
    }
    call_.score = c_.score;
    call_.parameters = parameters_;
    call_.selection = {c_.selection, c_.temperature, 7};
    call_.mask.causal = c_.causal;
    call_.mask.first_query = 2;
    call_.mask_used = c_.mask_used;
    call_.window.kind = c_.window;
    call_.window.half_width = 3;
    if (c_.window == WindowKind::kLocalP && c_.centres_given) {
      std::vector<float>& centres = Add("centres", heads * s.queries, static_cast<float>(s.keys) / 2);
      for (float& centre : centres) centre += static_cast<float>(s.keys) / 2;
      call_.window.centres = Dense<const float>(centres.data(), heads, s.queries, 1);
    } else if (c_.window == WindowKind::kLocalP) {
      call_.window.W_p = Dense<const float>(Add("W_p", heads * 3 * s.query_dim).data(), heads, 3, s.query_dim);
      call_.window.v_p = Dense<const float>(Add("v_p", heads * 3).data(), heads, 1, 3);
    }
    if (c_.bias) {
      call_.mask.bias_head_stride = c_.per_head ? s.queries * s.keys : 0;
      call_.mask.bias = Add("bias", heads * s.queries * s.keys).data();
    }
    Add("output gradient", s.heads * s.queries * s.value_dim);
  }
  Changeable(const Changeable&) = delete;
  Changeable& operator=(const Changeable&) = delete;

  Attention& call() { return call_; }
  Named& x() { return x_; }
  AttentionInputs In() {
    const ProblemSizes& s = c_.sizes;
    return {Dense<const float>(x_["query"].data(), s.heads, s.queries, s.query_dim),
            Dense<const float>(x_["key"].data(), s.key_heads, s.keys, s.key_dim),
            Dense<const float>(x_["value"].data(), s.key_heads, s.keys, s.value_dim)};
  }
  AttentionLoss Loss() {
    AttentionLoss loss;
    loss.output = LikeOutput(In(), x_["output gradient"]);
    return loss;
  }
  double LossOfForward() {
    const AttentionOutcome out = Attended(call_, In(), /*keep=*/false);
    double loss = 0;
    for (size_t i = 0; i < x_["output gradient"].size(); ++i) {
      loss += static_cast<double>(out.output.read().data()[i]) * x_["output gradient"][i];
    }
    return loss;
  }
  // No key is so near to a window's edge that a step carries it across, where the loss jumps; and where the Gaussian
  // weighs the winners of a pool, no value is so near to another of its column that a step makes it the larger.
  bool ClearOfEdges() {
    if (call_.window.kind != WindowKind::kLocalP) return true;
    if (call_.selection.kind == SelectionKind::kMaxPool && HasNearValues()) return false;
    const std::vector<float> centres = Attended(call_, In()).centres;
    return std::all_of(centres.begin(), centres.end(), [](float c) { return std::abs(c - std::round(c)) > 0.02f; });
  }
  Named Backward(size_t threads = 1) { return Gradients(call_, In(), Loss(), threads); }

 private:
  bool HasNearValues() {
    const AttentionInputs in = In();
    for (size_t head = 0; head < in.value.heads; ++head) {
      const ConstRows rows = in.value.Head(head);
      for (size_t c = 0; c < rows.dim; ++c) {
        for (size_t j = 0; j < rows.rows; ++j) {
          for (size_t i = 0; i < j; ++i) {
            if (std::abs(rows.Row(i)[c] - rows.Row(j)[c]) < 0.006f) return true;
          }
        }
      }
    }
    return false;
  }
  size_t Number(ParameterSize size) const {
    const ProblemSizes& s = c_.sizes;
    switch (size) {
      case ParameterSize::kOne:
        return 1;
      case ParameterSize::kQueryDim:
        return s.query_dim;
      case ParameterSize::kKeyDim:
        return s.key_dim;
      case ParameterSize::kBothDims:
        return s.query_dim + s.key_dim;
      case ParameterSize::kHidden:
        return s.hidden;
      case ParameterSize::kKeysAtLeast:
        return s.keys + 1;
    }
    return 0;
  }
  std::vector<float>& Add(const std::string& name, size_t size, float factor = 1) {
    std::vector<float>& values = x_[name];
    values.resize(size);
    ++seed_;
    for (size_t i = 0; i < size; ++i) values[i] = factor * GeneratedValue(seed_, static_cast<uint32_t>(i));
    return values;
  }

  Choices c_;
  uint32_t seed_;
  Named x_;
  std::vector<Parameter> parameters_;
  Attention call_;
};

double Dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Along g / |g| + r / |r|, r random, the slope by central differences is within 1e-2 of what `gradients` say.
void ExpectSlope(Named& x, const Named& gradients, const std::function<double()>& loss, double step = 2e-3) {
  Named random;
  double g_norm = 0, r_norm = 0;
  uint32_t seed = 5000;
  for (const auto& [name, g] : gradients) {
    std::vector<float>& r = random[name];
    for (size_t i = 0; i < g.size(); ++i) r.push_back(GeneratedValue(seed, static_cast<uint32_t>(i)));
    ++seed;
    g_norm += Dot(g, g);
    r_norm += Dot(r, r);
  }
  g_norm = std::sqrt(g_norm);
  r_norm = std::sqrt(r_norm);
  ASSERT_GT(g_norm, 0);
  const Named start = x;
  // The slope along what float32 makes of the step.
  double slope = 0, at[2] = {};
  for (const int side : {1, -1}) {
    for (const auto& [name, g] : gradients) {
      for (size_t i = 0; i < g.size(); ++i) {
        const float from = start.at(name)[i];
        x[name][i] = from + static_cast<float>(side * step * (g[i] / g_norm + random[name][i] / r_norm));
        slope += side * static_cast<double>(g[i]) * (static_cast<double>(x[name][i]) - from);
      }
    }
    at[side > 0 ? 0 : 1] = loss();
  }
  for (const auto& [name, values] : start) std::copy(values.begin(), values.end(), x[name].begin());
  EXPECT_NEAR(at[0] - at[1], slope, 1e-2 * std::abs(slope));
  EXPECT_GT(std::abs(slope), step * g_norm / 2);
}

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
    // What was drawn has no slope.
    if (choices.selection == SelectionKind::kSampled && choices.window != WindowKind::kLocalP) return;
    auto kept = std::make_unique<Changeable>(choices);
    for (uint32_t seed = 2; !kept->ClearOfEdges(); ++seed) {
      ASSERT_LT(seed, 2000u);
      kept = std::make_unique<Changeable>(choices, seed);
    }
    Changeable& setup = *kept;
    Named gradients = setup.Backward();
    if (choices.selection == SelectionKind::kSampled) {
      // The draw moves with logits.
      const bool given = choices.centres_given;
      for (auto it = gradients.begin(); it != gradients.end();) {
        const bool stays = it->first == "value" || (given && it->first == "centres");
        it = stays ? std::next(it) : gradients.erase(it);
      }
    }
    ExpectSlope(setup.x(), gradients, [&] { return setup.LossOfForward(); });
  });
}

// More queries than a group, more keys than a chain of the product; queries and keys no multiple of anything.
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
      setup.call().window.half_width = window == WindowKind::kLocalP ? 400 : 40;  // no edge to step across
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

// The gradients of packed segments are those of each by itself.
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

// Nothing asked for but one: the others are not written, and it is the same.
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
    choices.centres_given = true;  // a place predicted from NaN sees all
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

// A NaN that one query sees is in its gradient, and in those of the keys that it sees, and in no other's.
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

// Layers.

class Recorded : public testing::Test {
 protected:
  // The loss is sum(y . r), r random.
  static double Loss(ConstMatrixView y) {
    double loss = 0;
    for (Eigen::Index i = 0; i < y.size(); ++i) loss += static_cast<double>(y.data()[i]) * Factor(i);
    return loss;
  }
  static float Factor(Eigen::Index i) { return GeneratedValue(900, static_cast<uint32_t>(i)); }

  // Runs `forward` with a tape that watches all of x, and compares with differences.
  void ExpectSlopes(Named x, const std::function<MatrixView(Context&, Named&)>& forward) {
    Named gradients;
    Tape tape;
    for (auto& [name, values] : x) {
      gradients[name].resize(values.size());
      tape.Watch(values.data(), values.size(), gradients[name].data());
    }
    Arena arena;
    ThreadPool pool(2);
    Context ctx{arena, pool};
    ctx.tape = &tape;
    const MatrixView y = forward(ctx, x);
    std::vector<float> of_y(static_cast<size_t>(y.size()));
    for (size_t i = 0; i < of_y.size(); ++i) of_y[i] = Factor(static_cast<Eigen::Index>(i));
    tape.Give(y.data(), of_y.data());
    tape.Backward();
    ctx.tape = nullptr;
    ExpectSlope(x, gradients, [&] {
      const ArenaScope scope(arena);
      return Loss(View(forward(ctx, x)));
    });
  }

  static std::vector<float> Values(size_t size, uint32_t seed) {
    std::vector<float> values(size);
    for (size_t i = 0; i < size; ++i) values[i] = GeneratedValue(seed, static_cast<uint32_t>(i));
    return values;
  }
  static ConstMatrixView Rows(const std::vector<float>& x, Eigen::Index rows) {
    return {x.data(), rows, static_cast<Eigen::Index>(x.size()) / rows};
  }
};

// One matrix is queries, keys and values at once, and groups share keys.
TEST_F(Recorded, SelfAttentionOfRowsThemselves) {
  for (const size_t key_heads : {1, 3}) {
    ExpectSlopes({{"x", Values(6 * 12, 1)}, {"W", Values(4 * (12 / key_heads), 2)}}, [&](Context& ctx, Named& x) {
      AttentionLayer layer;
      layer.heads = 3;
      layer.key_heads = key_heads;
      layer.attention.score = FindScore("general");
      const size_t dim = 12 / key_heads;
      const Parameter W[] = {{"W", Dense<const float>(x["W"].data(), 1, 4, dim)}};
      static Parameter kept[1];  // outlives the tape
      kept[0] = W[0];
      layer.attention.parameters = kept;
      layer.attention.mask.causal = true;
      return Forward(ctx, layer, Rows(x["x"], 6), Rows(x["x"], 6), Rows(x["x"], 6));
    });
  }
}

TEST_F(Recorded, ProjectionsHeadsAndAWindow) {
  AttentionLayer layer;
  layer.heads = 4;
  layer.key_heads = 2;
  const auto linear = [](size_t outputs, size_t inputs, uint64_t seed) {
    return Linear{Pack(RandomMatrix(outputs, inputs, seed).read()), {}};
  };
  layer.query = linear(12, 7, 1);
  layer.key = linear(6, 5, 2);
  layer.value = linear(8, 5, 3);
  layer.output = linear(6, 16, 4);
  const std::vector<float> W_p = Values(2 * 3, 5);
  layer.attention.window = {WindowKind::kLocalP, 4.3, Dense(W_p.data(), 1, 2, 3), Dense(W_p.data(), 1, 1, 2), {}};
  ExpectSlopes({{"q", Values(5 * 7, 6)}, {"m", Values(8 * 5, 7)}}, [&](Context& ctx, Named& x) {
    return Forward(ctx, layer, Rows(x["q"], 5), Rows(x["m"], 8), Rows(x["m"], 8));
  });
}

// What came before in a memory is a constant: the second call's gradient is of its own rows.
TEST_F(Recorded, AMemorysFormerRowsAreConstants) {
  AttentionLayer layer;
  layer.heads = layer.key_heads = 2;
  layer.attention.mask.causal = true;
  const std::vector<float> before = Values(3 * 8, 1);
  ExpectSlopes({{"x", Values(4 * 8, 2)}}, [&](Context& ctx, Named& x) {
    AttentionMemory memory;
    Context quiet = ctx;
    quiet.tape = nullptr;
    Forward(quiet, layer, Rows(before, 3), Rows(before, 3), Rows(before, 3), &memory);
    return Forward(ctx, layer, Rows(x["x"], 4), Rows(x["x"], 4), Rows(x["x"], 4), &memory);
  });
}

TEST_F(Recorded, Segmented) {
  Segments queries, keys;
  for (const size_t length : {2, 3}) queries.Add(length);
  for (const size_t length : {4, 2}) keys.Add(length);
  const Attention attention;
  ExpectSlopes({{"q", Values(5 * 8, 1)}, {"k", Values(6 * 4, 2)}, {"v", Values(6 * 6, 3)}}, [&](Context& ctx,
                                                                                                Named& x) {
    MatrixView y = ctx.New(5, 12);
    AttendSegments(ctx, attention,
                   {SideBySide<const float>(x["q"].data(), 2, 5, 4), SideBySide<const float>(x["k"].data(), 1, 6, 4),
                    SideBySide<const float>(x["v"].data(), 1, 6, 6)},
                   queries, keys, SideBySide(y.data(), 2, 5, 6));
    return y;
  });
}

TEST_F(Recorded, Likelihoods) {
  Segments queries, keys;
  for (const size_t length : {3, 3}) queries.Add(length);
  for (const size_t length : {4, 5}) keys.Add(length);
  const int32_t chosen[] = {0, 3, 1, 4, kNoKey, 2, 1, 0, 2, 0, 1, 3};
  Attention attention;
  attention.mask_used = true;
  ExpectSlopes({{"q", Values(6 * 8, 1)}, {"k", Values(9 * 8, 2)}}, [&](Context& ctx, Named& x) {
    return Likelihood(
        ctx, attention,
        {SideBySide<const float>(x["q"].data(), 2, 6, 4), SideBySide<const float>(x["k"].data(), 2, 9, 4), {}}, queries,
        keys, chosen);
  });
}

TEST_F(Recorded, Positions) {
  for (const PairLayout layout : {PairLayout::kHalves, PairLayout::kInterleaved}) {
    ExpectSlopes({{"x", Values(5 * 8, 1)}, {"table", Values(9 * 8, 2)}}, [&](Context& ctx, Named& x) {
      MatrixView learned = ctx.New(5, 8), turned = ctx.New(5, 8);
      LearnedPositions(ctx, Rows(x["x"], 5), Rows(x["table"], 9), 3, learned);
      RotaryPositions(ctx, SideBySide<const float>(learned.data(), 2, 5, 4), 7, SideBySide(turned.data(), 2, 5, 4),
                      layout);
      // In place too.
      LearnedPositions(ctx, View(turned), Rows(x["table"], 9), 1, turned);
      const Heads heads = SideBySide(turned.data(), 1, 5, 8);
      RotaryPositions(ctx, heads, 0, heads, layout);
      return turned;
    });
  }
}

}  // namespace
}  // namespace qkv
