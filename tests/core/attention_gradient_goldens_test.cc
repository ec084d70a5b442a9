// Gradients of the attention family against PyTorch's autograd in float64
// (tests/oracle/make_attention_gradient_goldens.py has the list), on every target of this machine: for each tensor
// |g - g*| <= 1e-4 |g*| + 1e-6 |all g*| in 2-norms, and the same bits on one thread and on three.
#include <cstring>
#include <list>

#include "core/attention/likelihood.h"
#include "tests/core/attention_gradients.h"

namespace qkv {
namespace {

double Norm(const std::vector<float>& x) {
  double sum = 0;
  for (const float v : x) sum += static_cast<double>(v) * v;
  return std::sqrt(sum);
}

class GradientGoldens {
 public:
  static const GradientGoldens& Get() {
    static const auto& goldens = *new GradientGoldens;
    return goldens;
  }
  const Json& cases() const { return json_.root()["cases"]; }
  const AttentionProblem& Problem(const Json& spec) const {
    return *std::next(problems_.begin(), spec["problem"].GetInt());
  }
  // Tensors that hold only zeros are left out of the file.
  std::map<std::string, std::vector<float>> Expected(const Json& spec) const {
    std::map<std::string, std::vector<float>> expected;
    size_t at = spec["offset"].GetUint();
    for (const auto& size : spec["sizes"].GetObject()) {
      const size_t count = size.value.GetUint();
      expected[size.name.GetString()] = {exact_.begin() + static_cast<ptrdiff_t>(at),
                                         exact_.begin() + static_cast<ptrdiff_t>(at + count)};
      at += count;
    }
    return expected;
  }

 private:
  GradientGoldens() {
    for (const Json& problem : json_.root()["problems"].GetArray()) problems_.emplace_back(problem);
    const std::string bytes = ReadBytes("tests/goldens/attention-gradients.bin");
    exact_.resize(bytes.size() / sizeof(float));
    std::memcpy(exact_.data(), bytes.data(), exact_.size() * sizeof(float));
  }
  JsonObject json_ = ReadGoldens("tests/goldens/attention-gradients.json");
  std::vector<float> exact_;
  std::list<AttentionProblem> problems_;
};

void ExpectClose(std::map<std::string, std::vector<float>> expected,
                 const std::map<std::string, std::vector<float>>& got) {
  double all = 0;
  for (auto& [name, values] : expected) {
    ASSERT_TRUE(got.contains(name)) << name;
    if (values.empty()) values.resize(got.at(name).size());
    ASSERT_EQ(values.size(), got.at(name).size()) << name;
    all = std::hypot(all, Norm(values));
  }
  for (const auto& [name, values] : expected) {
    std::vector<float> error = got.at(name);
    for (size_t i = 0; i < error.size(); ++i) error[i] -= values[i];
    EXPECT_LE(Norm(error), 1e-4 * Norm(values) + 1e-6 * all) << name;
  }
}

// Calls run(case's spec, case, call) for every case of a kind.
void ForEachCase(const std::string& kind,
                 const std::function<void(const Json&, const AttentionCase&, const Attention&)>& run) {
  size_t cases = 0;
  for (const Json& spec : GradientGoldens::Get().cases().GetArray()) {
    if (kind != spec["kind"].GetString()) continue;
    const AttentionCase problem(GradientGoldens::Get().Problem(spec), spec);
    SCOPED_TRACE(std::string(problem.problem().score->name) + ", " + spec["selection"].GetString() + ", " +
                 spec["window"]["kind"].GetString() + ", case " +
                 std::to_string(&spec - GradientGoldens::Get().cases().Begin()));
    run(spec, problem, problem.Call(spec["selection"].GetString()));
    ++cases;
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(cases, 0u);
}

TEST(AttentionGradients, OfTheOutputAreWithinTheBar) {
  ForEachTarget([] {
    ForEachCase("output", [](const Json& spec, const AttentionCase& problem, const Attention& call) {
      const AttentionInputs in = problem.problem().Inputs();
      const std::vector<float> of_output =
          Generated(in.query.heads * in.query.rows * in.value.dim, spec["output_gradient"]);
      AttentionLoss loss;
      loss.output = LikeOutput(in, of_output);
      const auto gradients = Gradients(call, in, loss);
      ExpectClose(GradientGoldens::Get().Expected(spec), gradients);
      EXPECT_EQ(gradients, Gradients(call, in, loss, 3));
    });
  });
}

TEST(AttentionGradients, OfLikelihoodsAreWithinTheBar) {
  ForEachTarget([] {
    ForEachCase("likelihood", [](const Json& spec, const AttentionCase& problem, const Attention& call) {
      const AttentionInputs in = problem.problem().Inputs();
      const size_t rows = in.query.heads * in.query.rows;
      const std::vector<float> of_likelihood = Generated(rows, spec["likelihood_gradient"]);
      const std::vector<float> of_entropy = Generated(rows, spec["entropy_gradient"]);
      const std::vector<int32_t> chosen = Ids(spec["chosen"]);
      AttentionLoss loss;
      loss.chosen = chosen.data();
      loss.log_likelihood = of_likelihood.data();
      loss.entropy = of_entropy.data();
      auto got = Gradients(call, in, loss);
      EXPECT_EQ(got, Gradients(call, in, loss, 3));
      Arena arena;
      ThreadPool pool;
      Context ctx{arena, pool};
      const MatrixView odds =
          Likelihood(ctx, call, in, Segments::One(in.query.rows), Segments::One(in.key.rows), chosen.data());
      got["likelihood"] = {odds.data(), odds.data() + rows};
      got["entropy"] = {odds.data() + rows, odds.data() + 2 * rows};
      ExpectClose(GradientGoldens::Get().Expected(spec), got);
    });
  });
}

}  // namespace
}  // namespace qkv
