// Linear attention by its recurrence against its weights, forward and backward; and the members of the family that read
// distances and sinks against the same written out.
#include "core/attention/linear.h"

#include <array>
#include <cstring>

#include "core/attention/around_gap.h"
#include "core/attention/attend_backward.h"
#include "tests/core/attention_changeable.h"

namespace qkv {
namespace {

constexpr ProblemSizes kSizes = {
    .heads = 4, .key_heads = 2, .queries = 37, .keys = 37, .query_dim = 6, .key_dim = 6, .value_dim = 5};

std::vector<float> Linear(const AttentionInputs& in, bool causal, LinearState& state) {
  std::vector<float> output(in.query.heads * in.query.rows * in.value.dim);
  const Result<void> checked = CheckLinear(in, causal, state);
  EXPECT_TRUE(checked) << checked.error().ToString();
  AttendLinear(in, causal, state, Dense(output.data(), in.query.heads, in.query.rows, in.value.dim));
  return output;
}

double Difference(const std::vector<float>& a, const float* b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max<double>(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(LinearAttention, IsItsWeightsTimesTheValues) {
  for (const bool causal : {false, true}) {
    const auto problem = RandomProblem(*FindScore("linear"), kSizes, 3, 2);
    Attention call = CallOf(*problem);
    call.mask.causal = causal;
    const AttentionOutcome weighed = Attended(call, problem->Inputs());
    LinearState state;
    EXPECT_LT(Difference(Linear(problem->Inputs(), causal, state), weighed.output.read().data()), 4e-6);
  }
}

// The recurrence: a row at a time with the state of those before it is the whole at once, bit for bit.
TEST(LinearAttention, ContinuesFromItsState) {
  const auto problem = RandomProblem(*FindScore("linear"), kSizes, 4);
  const AttentionInputs in = problem->Inputs();
  LinearState whole_state, state;
  const std::vector<float> whole = Linear(in, true, whole_state);
  for (size_t i = 0; i < kSizes.queries; ++i) {
    const AttentionInputs row = {in.query.Slice(i, 1), in.key.Slice(i, 1), in.value.Slice(i, 1)};
    const std::vector<float> step = Linear(row, true, state);
    for (size_t h = 0; h < kSizes.heads; ++h) {
      for (size_t c = 0; c < kSizes.value_dim; ++c) {
        ASSERT_EQ(step[h * kSizes.value_dim + c], whole[(h * kSizes.queries + i) * kSizes.value_dim + c]);
      }
    }
  }
  EXPECT_EQ(state, whole_state);
}

TEST(LinearAttention, ItsBackwardIsThatOfItsWeights) {
  for (const bool causal : {false, true}) {
    Choices choices;
    choices.score = FindScore("linear");
    choices.causal = causal;
    choices.temperature = 1;
    choices.sizes = kSizes;
    Changeable setup(choices);
    setup.call().mask.first_query = 0;
    const AttentionInputs in = setup.In();
    const Named expected = setup.Backward();
    Named got = {{"query", std::vector<float>(expected.at("query").size())},
                 {"key", std::vector<float>(expected.at("key").size())},
                 {"value", std::vector<float>(expected.at("value").size())}};
    const auto room = [&](const char* name, const ConstHeads& of) {
      return Dense(got[name].data(), of.heads, of.rows, of.dim);
    };
    AttendLinearBackward(in, causal, setup.Loss().output,
                         {room("query", in.query), room("key", in.key), room("value", in.value)});
    for (const auto& [name, values] : got) {
      EXPECT_LT(Difference(values, expected.at(name).data()), 2e-5) << name << (causal ? ", causal" : "");
    }
  }
}

TEST(LinearAttention, RefusesWhatDoesNotFit) {
  const auto problem = RandomProblem(*FindScore("linear"), {.queries = 3, .keys = 4});
  const LinearState wrong(7);
  EXPECT_EQ(CheckLinear(problem->Inputs(), true, {}).error().where, "key");
  EXPECT_EQ(CheckLinear(problem->Inputs(), false, wrong).error().where, "state");
  AttentionInputs in = problem->Inputs();
  in.value = {};
  EXPECT_EQ(CheckLinear(in, false, {}).error().where, "value");
}

// A window with sinks is the explicit mask of the same keys, with the same bits, for every score and selection.
TEST(Sinks, AreTheMaskWrittenOut) {
  constexpr size_t kSinks = 3, kReach = 5;
  const ProblemSizes sizes = {.heads = 2, .key_heads = 1, .queries = 40, .keys = 150, .first_query = 1};
  for (const Score* score : Scores()) {
    for (const SelectionKind selection : kSelections) {
      const auto problem = RandomProblem(*score, sizes);
      Attention windowed = CallOf(*problem, selection), masked = windowed;
      windowed.mask.causal = true;
      windowed.window.kind = WindowKind::kLocalM;
      windowed.window.half_width = kReach;
      windowed.window.sinks = kSinks;
      std::vector<uint8_t> allowed(sizes.queries * sizes.keys);
      for (size_t i = 0; i < sizes.queries; ++i) {
        const size_t place = sizes.first_query + i;
        for (size_t j = 0; j < sizes.keys; ++j) {
          allowed[i * sizes.keys + j] = j <= place && (j < kSinks || j + kReach >= place) ? 1 : 0;
        }
      }
      masked.mask.allowed = allowed.data();
      const AttentionOutcome a = Attended(windowed, problem->Inputs()), b = Attended(masked, problem->Inputs());
      EXPECT_TRUE(SameBits(a.weights.read(), b.weights.read())) << score->name << ", " << static_cast<int>(selection);
      EXPECT_LT((a.output.read() - b.output.read()).array().abs().maxCoeff(), 1e-6) << score->name;
    }
  }
}

// Of a long sequence the keys between sinks and window are not computed. A record of the weights asks for whole rows:
// the output has the same bits with it, by one thread and by several.
TEST(Sinks, LeaveOutWhatIsBetweenThemAndTheWindow) {
  for (const auto& [queries, sinks, reach, first] : std::to_array<std::array<size_t, 4>>(
           {{700, 4, 60, 0}, {40, 4, 60, 2500}, {300, 130, 200, 900}, {30, 1, 1000, 2100}})) {
    const ProblemSizes sizes = {
        .heads = 2, .key_heads = 1, .queries = queries, .keys = first + queries, .first_query = first};
    for (const Score* score : Scores()) {
      const auto problem = RandomProblem(*score, sizes);
      Attention call = CallOf(*problem, SelectionKind::kSoft);
      call.mask.causal = true;
      call.window.kind = WindowKind::kLocalM;
      call.window.half_width = static_cast<double>(reach);
      call.window.sinks = sinks;
      call.selection.temperature = 0.75f;
      const auto output = [&](bool with_weights, size_t threads) {
        Arena arena;
        ThreadPool pool(threads);
        Context ctx{arena, pool};
        const AttentionInputs in = problem->Inputs();
        std::vector<float> y(sizes.heads * queries * in.value.dim), weights(sizes.heads * queries * sizes.keys);
        AttentionRecord record;
        if (with_weights) record.weights = weights.data();
        AttendAroundGap(ctx, call, in, Dense(y.data(), sizes.heads, queries, in.value.dim), record);
        return y;
      };
      const std::vector<float> whole = output(true, 1);
      for (const size_t threads : {1, 3}) {
        EXPECT_EQ(std::memcmp(output(false, threads).data(), whole.data(), whole.size() * sizeof(float)), 0)
            << score->name << ", " << queries << " queries of " << sizes.keys << ", " << threads << " threads";
      }
    }
  }
}

TEST(Sinks, AreForTheMonotonicWindow) {
  const auto problem = RandomProblem(kScaledDot, {});
  Attention call = CallOf(*problem);
  call.window.sinks = 1;
  EXPECT_EQ(CheckAttention(call, problem->Inputs()).error().where, "sinks");
}

// The buckets of T5's published models: 32 on two sides, or 32 up to the query alone, to the distance 128.
TEST(RelativePositions, BucketsAreThoseOfT5) {
  const auto bucket = [](size_t sides, int distance) {
    const size_t columns = 32 / sides;
    std::vector<float> table(32);
    std::iota(table.begin(), table.end(), 0.0f);
    const std::vector<Parameter> parameters = {{"b", Dense<const float>(table.data(), 1, sides, columns)}};
    const float zero = 0;
    Attention call;
    call.score = FindScore("t5");
    call.parameters = parameters;
    call.mask.first_query = distance < 0 ? static_cast<size_t>(-distance) : 0;
    const std::vector<float> keys(static_cast<size_t>(std::abs(distance)) + 1, zero);
    const AttentionInputs in = {Dense(&zero, 1, 1, 1), Dense(keys.data(), 1, keys.size(), 1),
                                Dense(keys.data(), 1, keys.size(), 1)};
    return Attended(call, in).scores.read()(0, distance > 0 ? distance : 0);
  };
  const std::pair<int, int> both[] = {{0, 0},    {-1, 1},   {-7, 7},   {-8, 8},   {-11, 8},   {-12, 9},
                                      {-16, 10}, {-64, 14}, {-90, 14}, {-91, 15}, {-128, 15}, {-900, 15},
                                      {1, 17},   {7, 23},   {8, 24},   {16, 26},  {900, 31}};
  for (const auto& [distance, expected] : both) EXPECT_EQ(bucket(2, distance), expected) << distance;
  const std::pair<int, int> past[] = {{0, 0},    {5, 0},    {-15, 15},  {-16, 16},
                                      {-32, 21}, {-64, 26}, {-127, 31}, {-128, 31}};
  for (const auto& [distance, expected] : past) EXPECT_EQ(bucket(1, distance), expected) << distance;
}

}  // namespace
}  // namespace qkv
