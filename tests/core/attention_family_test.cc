// Every combination of the attention family against a float64 reference (tests/oracle/make_attention_goldens.py has the
// list), on every target of this machine.
//
// The bounds start from the scores' errors (tests/core/attention_bounds.h). T is the temperature, b the bias, K the
// number of visible keys:
//
//   logits    l = (s + b) / T                    off by (e_s + u |s + b|) / T + 2 u |l| =: e_l
//   soft      every weight times                 exp(2 max_j e_l) (1 + u (2 (max l - l) + 9) + Gamma(K)): softmax
//                                                changes by at most that factor; l - max, exp, sum and quotient round
//   gate      every weight times                 exp(e_l) (1 + u (2 |l| + 9)): |d log sigmoid| <= |d l|
//   sparsemax, entmax  each weight [x - tau]_+^e, e = 1 / (alpha - 1), by  (1 + n)^e - 1 where e >= 1, else n^e, with
//                                                n = 2 (alpha - 1) max_j e_l: tau moves by no more than x; and u of it
//   local-p   weights times                      1 + 4 u more: its centre is computed in double
//   output    sum_j |v_j| e_w + Gamma(K + 1) sum_j (w_j + e_w) |v_j|
//
// Where exp may end below the least normal float, 1.2e-38 is added. One-hot weights and max pooling are exact: the
// goldens' decisions are farther apart than twice e_l, which is asserted.
#include <algorithm>
#include <cmath>

#include "core/attention/segments.h"
#include "core/base/random.h"
#include "tests/core/attention_bounds.h"
#include "tests/core/attention_goldens.h"

namespace qkv {
namespace {

constexpr double kTiny = 1.2e-38;

// The expected results of one selection. Arrays [heads * queries, ...] are null where only the outputs of `rows` are
// kept.
struct Expected {
  std::string selection;
  const double *scores = nullptr, *logits = nullptr, *weights = nullptr, *output = nullptr, *centres = nullptr;
  std::vector<int32_t> rows;     // the rows whose outputs and indices are kept
  std::vector<int32_t> indices;  // none: not checked
  std::vector<int32_t> empty;    // the rows that are checked
  bool pointer = false;
};

class Goldens {
 public:
  static const Goldens& Get() {
    static const auto& goldens = *new Goldens;
    return goldens;
  }

  const Json& cases() const { return json_.root()["cases"]; }
  const AttentionProblem& Problem(const Json& spec) const {
    return *std::next(problems_.begin(), spec["problem"].GetInt());
  }
  Expected Read(const Json& spec, const Json& answer) const {
    const Json& problem = json_.root()["problems"][spec["problem"].GetUint()];
    Expected e;
    e.selection = answer["selection"].GetString();
    e.scores = At(problem, "scores");
    e.logits = At(spec, "logits");
    e.centres = At(spec, "centres");
    e.weights = At(answer, "weights");
    e.output = At(answer, "output");
    const Json none;
    e.rows = IdsOrAll(spec.HasMember("rows") ? spec["rows"] : none,
                      problem["heads"].GetUint() * problem["queries"].GetUint());
    if (answer.HasMember("indices")) e.indices = Ids(answer["indices"]);
    if (spec.HasMember("empty")) e.empty = Ids(spec["empty"]);
    e.pointer = spec.HasMember("pointer");
    return e;
  }

 private:
  Goldens() {
    for (const Json& problem : json_.root()["problems"].GetArray()) problems_.emplace_back(problem);
  }
  const double* At(const Json& object, const char* name) const {
    return object.HasMember(name) ? exact_.data() + object[name].GetUint() : nullptr;
  }

  JsonObject json_ = ReadGoldens("tests/goldens/attention.json");
  std::vector<double> exact_ = ReadDoubles("tests/goldens/attention.bin");
  std::list<AttentionProblem> problems_;
};

// Calls run(case, selection's expectations) for every combination of a group, or of all.
void ForEachCombination(const std::string& group,
                        const std::function<void(const AttentionCase&, const Expected&)>& run) {
  size_t combinations = 0;
  for (const Json& spec : Goldens::Get().cases().GetArray()) {
    if (!group.empty() && group != spec["group"].GetString()) continue;
    const AttentionCase problem(Goldens::Get().Problem(spec), spec);
    for (const Json& answer : spec["answers"].GetArray()) {
      const Expected expected = Goldens::Get().Read(spec, answer);
      SCOPED_TRACE(std::string(problem.problem().score->name) + ", " + expected.selection + ", problem " +
                   std::to_string(spec["problem"].GetInt()) + ", case " +
                   std::to_string(&spec - Goldens::Get().cases().Begin()));
      run(problem, expected);
      ++combinations;
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(combinations, 0u);
}

// One row of one combination, compared stage by stage.
class RowCheck {
 public:
  RowCheck(const AttentionCase& problem, const Attention& call, const Expected& expected, const ScoreBounds& bounds,
           size_t head, size_t query)
      : case_(problem),
        p_(problem.problem()),
        call_(call),
        e_(expected),
        bounds_(bounds),
        head_(head),
        query_(query),
        row_(head * p_.queries + query) {
    for (size_t j = 0; j < p_.keys; ++j) Measure(j);
  }

  void Compare(const AttentionOutcome& out, const double* output) {
    if (e_.logits != nullptr) CompareStages(out);
    if (e_.pointer) return;
    if (e_.selection == "sampled") return CompareDraw(out);
    for (size_t c = 0; c < p_.value_dim; ++c) {
      ASSERT_NEAR(out.output.read()(Index(row_), Index(c)), output[c], OutputError(c, output[c])) << "column " << c;
    }
  }

  // Checks that no decision was close.
  void CompareIndex(const AttentionOutcome& out, int32_t index) const {
    EXPECT_EQ(out.chosen[row_], index);
    if (e_.logits == nullptr || index == kNoKey || e_.selection == "max-pool") return;
    double second = kMasked;
    for (size_t j = 0; j < p_.keys; ++j) {
      if (Index(j) != index) second = std::max(second, Logit(j));
    }
    EXPECT_GT(Logit(static_cast<size_t>(index)) - second, 2 * logit_error_ + 1e-5);
  }

 private:
  static Eigen::Index Index(size_t i) { return static_cast<Eigen::Index>(i); }
  size_t At(size_t j) const { return row_ * p_.keys + j; }
  double Logit(size_t j) const { return e_.logits[At(j)]; }
  // Where logits are not kept: all keys that the mask's arrays allow, which is never too few.
  bool Seen(size_t j) const {
    return e_.logits != nullptr ? Logit(j) != kMasked : case_.Bias(head_, query_, j) != kMasked;
  }
  bool Soft() const { return e_.selection == "soft" || e_.selection == "sampled"; }

  void Measure(size_t j) {
    if (!Seen(j)) return;
    ++seen_;
    const double temperature = call_.selection.temperature, bias = case_.Bias(head_, query_, j);
    const double size = bounds_.Size(query_, j) + std::abs(bias);
    logit_error_ = std::max(logit_error_, LogitError(bounds_.Error(query_, j), size, temperature));
    largest_ = std::max(largest_, e_.logits != nullptr ? Logit(j) : size / temperature);
    range_ = std::max(range_, size / temperature);
  }

  static double LogitError(double score_error, double sum, double temperature) {
    return (score_error + kUnit * sum) / temperature + 2 * kUnit * sum / temperature;
  }

  // The relative error of a weight. Where logits are not kept, they differ by at most twice the largest size.
  double WeightError(size_t j) const {
    if (e_.selection == "argmax" || e_.selection == "max-pool")
      return call_.window.kind == WindowKind::kLocalP ? 4 * kUnit : 0;
    if (call_.selection.sparse()) return 5 * kUnit;
    const double below = e_.logits == nullptr ? 2 * range_ : Soft() ? largest_ - Logit(j) : std::abs(Logit(j));
    const double rounding = kUnit * (2 * below + 9 + 4) + (Soft() ? Gamma(seen_) : 0);
    return std::expm1((Soft() ? 2 : 1) * logit_error_) * (1 + rounding) + rounding;
  }

  // The absolute error of a sparse weight.
  double SparseError() const {
    if (!call_.selection.sparse()) return 0;
    const double power = 1 / (call_.selection.power() - 1), moved = 2 * (call_.selection.power() - 1) * logit_error_;
    return power >= 1 ? std::expm1(power * std::log1p(moved)) : std::pow(moved, power);
  }

  void CompareStages(const AttentionOutcome& out) const {
    for (size_t j = 0; j < p_.keys; ++j) {
      SCOPED_TRACE("key " + std::to_string(j));
      const double score = e_.scores[At(j)];
      ASSERT_NEAR(out.scores.read()(Index(row_), Index(j)), score, bounds_.Error(query_, j));
      const double logit = out.logits.read()(Index(row_), Index(j));
      if (Logit(j) == kMasked) {
        ASSERT_EQ(logit, kMasked);
        ASSERT_EQ(out.weights.read()(Index(row_), Index(j)), 0);
        continue;
      }
      ASSERT_NEAR(logit, Logit(j),
                  LogitError(bounds_.Error(query_, j), std::abs(score) + std::abs(case_.Bias(head_, query_, j)),
                             call_.selection.temperature));
      if (e_.selection == "sampled") continue;
      const double weight = e_.weights[At(j)];
      const double shares = e_.selection == "max-pool" ? Gamma(p_.value_dim + 1) : 0;  // 1 / dv, summed
      ASSERT_NEAR(out.weights.read()(Index(row_), Index(j)), weight,
                  weight * (WeightError(j) + shares) + SparseError() + (Exact() ? 0 : kTiny));
    }
    const bool empty = std::find(e_.empty.begin(), e_.empty.end(), static_cast<int32_t>(row_)) != e_.empty.end();
    EXPECT_EQ(out.empty[row_], empty ? 1 : 0);
    // The place is predicted in double and then rounded. The exact place has the same error.
    if (e_.centres != nullptr) EXPECT_NEAR(out.centres[row_], e_.centres[row_], 2 * kUnit * std::abs(e_.centres[row_]));
  }

  bool Exact() const { return e_.selection == "argmax" || e_.selection == "max-pool"; }

  // The measure sum_j w_j |v_j|, and the error that the weights add to it. Where weights are not kept: soft weights sum
  // to 1, and no weight of a gate or of a one-hot selection is above 1.
  double OutputError(size_t c, double wanted) const {
    if (e_.selection == "max-pool") return (WeightError(0) + (WeightError(0) > 0 ? kUnit : 0)) * std::abs(wanted);
    double error = 0, size = 0, largest = 0;
    for (size_t j = 0; j < p_.keys; ++j) {
      if (!Seen(j)) continue;
      const double value = p_.ValueSize(head_, j, c), weight = e_.weights != nullptr ? e_.weights[At(j)] : 1;
      error += (weight * WeightError(j) + SparseError()) * value + (Exact() ? 0 : kTiny * value);
      size += weight * value;
      largest = std::max(largest, value);
    }
    if (e_.weights == nullptr && (Soft() || Exact()))
      return largest * (WeightError(0) + Gamma(seen_ + 1)) * 1.001 + kTiny;
    return error + Gamma(seen_ + 3) * (size + error);
  }

  // A draw must be a key whose interval of the exact cumulative probabilities contains u, within the error of the
  // probabilities.
  void CompareDraw(const AttentionOutcome& out) const {
    const int32_t chosen = out.chosen[row_];
    if (seen_ == 0) {
      EXPECT_EQ(chosen, kNoKey);
      return;
    }
    ASSERT_GE(chosen, 0);
    ASSERT_LT(chosen, Index(p_.keys));
    const auto key = static_cast<size_t>(chosen);
    ASSERT_TRUE(Seen(key));
    const double u = Random(call_.selection.seed, head_).Block(call_.mask.first_query + query_)[0] * 0x1p-32;
    double before = 0, error = 1e-9;
    for (size_t j = 0; j <= key; ++j) {
      if (!Seen(j)) continue;
      error += e_.weights[At(j)] * WeightError(j);
      if (j < key) before += e_.weights[At(j)];
    }
    EXPECT_GE(u, before - error);
    EXPECT_LE(u, before + e_.weights[At(key)] + error);
    double factor = 1;
    if (call_.window.kind == WindowKind::kLocalP) {
      const double distance = (static_cast<double>(key) - e_.centres[row_]) / (call_.window.half_width / 2);
      factor = std::exp(-distance * distance / 2);
    }
    for (size_t j = 0; j < p_.keys; ++j) {
      EXPECT_NEAR(out.weights.read()(Index(row_), Index(j)), j == key ? factor : 0, j == key ? 4 * kUnit : 0);
    }
    for (size_t c = 0; c < p_.value_dim; ++c) {
      const double value = p_.MovedValue(head_, query_, key, c), size = p_.ValueSize(head_, key, c);
      EXPECT_NEAR(out.output.read()(Index(row_), Index(c)), factor * value, 6 * kUnit * size);
    }
  }

  const AttentionCase& case_;
  const AttentionProblem& p_;
  const Attention& call_;
  const Expected& e_;
  const ScoreBounds& bounds_;
  size_t head_, query_, row_, seen_ = 0;
  double logit_error_ = 0, largest_ = kMasked, range_ = 0;
};

void CompareWithReference(const AttentionCase& problem, const Expected& expected,
                          const std::function<AttentionOutcome(const Attention&)>& attended) {
  const AttentionProblem& p = problem.problem();
  const Attention call = problem.Call(expected.selection);
  std::list<ScoreBounds> bounds;
  for (size_t h = 0; h < p.heads; ++h) bounds.emplace_back(p, h);
  ForEachTarget([&] {
    const AttentionOutcome out = attended(call);
    for (size_t r = 0; r < expected.rows.size(); ++r) {
      const auto row = static_cast<size_t>(expected.rows[r]);
      SCOPED_TRACE("row " + std::to_string(row));
      const size_t head = row / p.queries;
      RowCheck check(problem, call, expected, *std::next(bounds.begin(), static_cast<ptrdiff_t>(head)), head,
                     row % p.queries);
      check.Compare(out, expected.output != nullptr ? expected.output + r * p.value_dim : nullptr);
      if (!expected.indices.empty()) check.CompareIndex(out, expected.indices[r]);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(AttentionFamilyGoldens, HaveEveryScore) {
  for (const Score* score : Scores()) {
    const auto asks = [&](const Json& spec) { return Goldens::Get().Problem(spec).score == score; };
    const Json& cases = Goldens::Get().cases();
    EXPECT_GE(std::count_if(cases.Begin(), cases.End(), asks), 36) << score->name;
  }
}

class AttentionFamily : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Groups, AttentionFamily,
                         testing::Values("family", "shapes", "hard", "long", "pointers", "sparse"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(AttentionFamily, IsTheReferenceWithinItsBound) {
  ForEachCombination(GetParam(), [](const AttentionCase& problem, const Expected& expected) {
    CompareWithReference(problem, expected,
                         [&](const Attention& call) { return Attended(call, problem.problem().Inputs()); });
  });
}

TEST_P(AttentionFamily, RecordAndThreadsChangeNoBit) {
  ForEachCombination(GetParam(), [](const AttentionCase& problem, const Expected& expected) {
    const AttentionInputs in = problem.problem().Inputs();
    const Attention call = problem.Call(expected.selection);
    ForEachTarget([&] {
      const AttentionOutcome kept = Attended(call, in), bare = Attended(call, in, false),
                             two = Attended(call, in, true, 2);
      EXPECT_TRUE(SameBits(kept.output.read(), bare.output.read()));
      EXPECT_TRUE(SameBits(kept.output.read(), two.output.read()));
      EXPECT_TRUE(SameBits(kept.scores.read(), two.scores.read()));
      EXPECT_TRUE(SameBits(kept.logits.read(), two.logits.read()));
      EXPECT_TRUE(SameBits(kept.weights.read(), two.weights.read()));
      EXPECT_EQ(kept.chosen, two.chosen);
    });
  });
}

// Row i of a call equals the call of query i alone at its place, which is what a decoding step computes.
TEST_P(AttentionFamily, EachQueryAloneIsItsRow) {
  ForEachCombination(GetParam(), [](const AttentionCase& problem, const Expected& expected) {
    const AttentionInputs in = problem.problem().Inputs();
    const Attention call = problem.Call(expected.selection);
    if (call.mask_used) return;  // later rows depend on earlier ones
    ForEachTarget([&] {
      const AttentionOutcome whole = Attended(call, in, false);
      for (const int32_t row : expected.rows) {
        const size_t i = static_cast<size_t>(row) % in.query.rows;
        Attention one = call;
        one.mask.first_query += i;
        if (one.mask.allowed != nullptr) one.mask.allowed += i * in.key.rows;
        if (one.mask.bias != nullptr) one.mask.bias += i * in.key.rows;
        if (one.window.centres.data != nullptr) one.window.centres = one.window.centres.Slice(i, 1);
        const AttentionOutcome alone = Attended(one, {in.query.Slice(i, 1), in.key, in.value}, false);
        for (size_t h = 0; h < in.query.heads; ++h) {
          ASSERT_TRUE(SameBits(ReadRows(whole.output, static_cast<Eigen::Index>(h * in.query.rows + i), 1),
                               ReadRows(alone.output, static_cast<Eigen::Index>(h), 1)))
              << "head " << h << ", query " << i;
        }
      }
    });
  });
}

// Rows of all segments, with heads side by side: [rows, heads * dim]. Rows of other segments are NaN.
std::vector<float> PackedAround(const ConstHeads& part, size_t before, size_t after) {
  const size_t width = part.heads * part.dim;
  std::vector<float> rows((before + part.rows + after) * width, std::numeric_limits<float>::quiet_NaN());
  for (size_t h = 0; h < part.heads; ++h) {
    for (size_t r = 0; r < part.rows; ++r) {
      std::copy_n(part.Head(h).Row(r), part.dim,
                  rows.begin() + static_cast<ptrdiff_t>((before + r) * width + h * part.dim));
    }
  }
  return rows;
}

// The result is the same for the second of three packed segments when the other two hold nothing but NaN.
TEST_P(AttentionFamily, OnePackedSegmentOfSeveralIsTheSame) {
  size_t segmented = 0;
  ForEachCombination(GetParam(), [&](const AttentionCase& problem, const Expected& expected) {
    const AttentionInputs in = problem.problem().Inputs();
    const Attention call = problem.Call(expected.selection);
    if (call.mask.allowed != nullptr || call.mask.bias != nullptr || call.window.centres.data != nullptr) return;
    ++segmented;
    const size_t before = 3, after = 2, width = in.query.heads * in.value.dim;
    // A score by location has one row for each key of the longest segment.
    const size_t keys_before = std::min<size_t>(4, in.key.rows), keys_after = 1;
    const std::vector<float> query = PackedAround(in.query, before, after),
                             key = PackedAround(in.key, keys_before, keys_after),
                             value = PackedAround(in.value, keys_before, keys_after);
    const size_t rows = before + in.query.rows + after, keys = keys_before + in.key.rows + keys_after;
    Segments query_segments, key_segments;
    for (const size_t length : {before, in.query.rows, after}) query_segments.Add(length);
    for (const size_t length : {keys_before, in.key.rows, keys_after}) key_segments.Add(length);
    ForEachTarget([&] {
      const AttentionOutcome alone = Attended(call, in, false);
      Guarded output(rows, width);
      Arena arena;
      ThreadPool pool(1);
      Context ctx{arena, pool};
      AttendSegments(ctx, call,
                     {SideBySide(query.data(), in.query.heads, rows, in.query.dim),
                      SideBySide(key.data(), in.key.heads, keys, in.key.dim),
                      SideBySide(value.data(), in.key.heads, keys, in.value.dim)},
                     query_segments, key_segments, SideBySide(output.data(), in.query.heads, rows, in.value.dim));
      ASSERT_TRUE(output.Intact());
      for (size_t h = 0; h < in.query.heads; ++h) {
        for (size_t i = 0; i < in.query.rows; ++i) {
          ASSERT_EQ(std::memcmp(output.data() + (before + i) * width + h * in.value.dim,
                                alone.output.read().row(static_cast<Eigen::Index>(h * in.query.rows + i)).data(),
                                sizeof(float) * in.value.dim),
                    0)
              << "head " << h << ", query " << i;
        }
      }
    });
  });
  EXPECT_GT(segmented, 0u);
}

}  // namespace
}  // namespace qkv
