// Recurrent layers: their gates against the equations, their outputs and gradients against PyTorch's nn.GRU and
// nn.LSTM.
#include "core/layers/recurrent.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "core/base/tape.h"
#include "core/train/parameters.h"
#include "tests/core/goldens.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

TEST(Gates, AreTheEquationsOnEveryTarget) {
  ThreadPool pool(2);
  for (const CellKind kind : {CellKind::kGru, CellKind::kLstm}) {
    for (const size_t n : {1, 3, 16, 21}) {
      constexpr size_t kRows = 3;
      const size_t width = GatesOf(kind) * n, saved = SavedOf(kind) * n;
      Guarded a = RandomMatrix(kRows, width, 1, 4), b = RandomMatrix(kRows, width, 2, 4),
              previous = RandomMatrix(kRows, n, 3);
      Guarded expected_saved(kRows, saved), expected_cell(kRows, n), expected(kRows, n);
      Gates gates = {
          kind,           kRows, n, a.data(), b.data(), previous.data(), expected_saved.data(), expected_cell.data(),
          expected.data()};
      ComputeGatesNaive(gates);
      ForEachTarget([&] {
        Guarded our_saved(kRows, saved), cell(kRows, n), hidden(kRows, n);
        gates.saved = our_saved.data();
        gates.cell = cell.data();
        gates.hidden = hidden.data();
        ComputeGates(gates, pool);
        EXPECT_TRUE(our_saved.Intact() && cell.Intact() && hidden.Intact());
        // Sigmoid and tanh are within a few units of the last place of 1; a sum of two products adds two.
        constexpr float kBound = 8 * static_cast<float>(kUnit);
        EXPECT_LE((hidden.read() - expected.read()).cwiseAbs().maxCoeff(), kBound) << n;
        EXPECT_LE((our_saved.read() - expected_saved.read()).cwiseAbs().maxCoeff(), kBound) << n;
      });
    }
  }
}

TEST(StepOrder, GoesFromLongestToShortestAndBackAgain) {
  Segments segments;
  for (const size_t length : {2, 3, 1, 3}) segments.Add(length);
  const StepOrder order(segments), back(segments, /*reversed=*/true);
  EXPECT_EQ(order.steps(), 3u);
  EXPECT_EQ(order.packed(), (std::vector<int32_t>{2, 6, 0, 5, 3, 7, 1, 4, 8}));
  EXPECT_EQ(back.packed(), (std::vector<int32_t>{4, 8, 1, 5, 3, 7, 0, 2, 6}));
  EXPECT_EQ(order.Last(), (std::vector<int32_t>{6, 7, 3, 8}));
  for (size_t i = 0; i < order.rows(); ++i) {
    EXPECT_EQ(order.by_steps()[static_cast<size_t>(order.packed()[i])], static_cast<int32_t>(i));
  }
}

struct Case {
  const Json& json;
  const std::vector<double>& data;

  bool Has(const std::string& name) const { return json["tensors"].HasMember(name.c_str()); }
  std::vector<float> operator[](const std::string& name) const {
    const Json& tensor = json["tensors"][name.c_str()];
    size_t size = 1;
    for (const Json& each : tensor["shape"].GetArray()) size *= each.GetUint();
    const auto at = data.begin() + static_cast<std::ptrdiff_t>(tensor["offset"].GetUint());
    return {at, at + static_cast<std::ptrdiff_t>(size)};
  }
};

struct Stack {
  std::vector<RecurrentLayer> layers;
  WeightSlots slots;
  std::unique_ptr<Parameters> parameters;
  Segments segments;

  explicit Stack(const Case& golden) {
    const size_t n = golden.json["hidden"].GetUint();
    size_t inputs = golden.json["inputs"].GetUint();
    layers.resize(golden.json["layers"].GetUint());
    for (size_t l = 0; l < layers.size(); ++l) {
      RecurrentLayer& layer = layers[l];
      layer.bidirectional = golden.json["bidirectional"].GetBool();
      layer.forward.kind = layer.backward.kind =
          golden.json["kind"].GetString() == std::string("gru") ? CellKind::kGru : CellKind::kLstm;
      CellSlots(slots, "rnn", "l" + std::to_string(l), layer.forward, n, inputs);
      if (layer.bidirectional) CellSlots(slots, "rnn", "l" + std::to_string(l) + "_reverse", layer.backward, n, inputs);
      inputs = layer.bidirectional ? 2 * n : n;
    }
    ReserveFloats(slots);
    parameters = std::make_unique<Parameters>(slots);
    for (LearntParameter& p : parameters->all()) PackInto(p, golden[p.name.substr(4)].data(), p.value);
    for (const Json& length : golden.json["lengths"].GetArray()) segments.Add(length.GetUint());
  }
  RecurrentOutput Forward(Context& ctx, ConstMatrixView x) const {
    RecurrentOutput out = qkv::Forward(ctx, layers[0], x, segments);
    for (size_t l = 1; l < layers.size(); ++l) {
      const RecurrentOutput next = qkv::Forward(ctx, layers[l], View(out.rows), segments);
      new (&out) RecurrentOutput(next);
    }
    return out;
  }
};

void ExpectNear(const float* ours, const std::vector<float>& exact, double relative, double absolute,
                const std::string& name) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    difference += std::pow(static_cast<double>(ours[i]) - exact[i], 2);
    size += std::pow(exact[i], 2.0);
  }
  EXPECT_LE(std::sqrt(difference), relative * std::sqrt(size) + absolute) << name;
}

// Outputs, and gradients with |g - g*| <= 1e-4 |g*| + 1e-6 |all g*|.
TEST(Recurrent, IsPyTorchs) {
  const JsonObject json = ReadGoldens("tests/goldens/recurrent.json");
  const std::vector<double> data = ReadDoubles("tests/goldens/recurrent.bin");
  for (const Json& each : (*json.Find("cases")).GetArray()) {
    for (const size_t threads : {1, 3}) {
      const Case golden = {each, data};
      Stack stack(golden);
      Arena arena;
      ThreadPool pool(threads);
      Tape tape;
      stack.parameters->Watch(tape);
      const std::vector<float> input = golden["x"];
      std::vector<float> d_input(input.size());
      tape.Watch(input.data(), input.size(), d_input.data());
      Context ctx{.arena = arena, .pool = pool, .tape = &tape};
      const auto inputs = static_cast<Eigen::Index>(golden.json["inputs"].GetUint());
      const RecurrentOutput out =
          stack.Forward(ctx, {input.data(), static_cast<Eigen::Index>(input.size()) / inputs, inputs});
      ExpectNear(out.rows.data(), golden["rows"], 1e-6, 0, "rows");
      ExpectNear(out.last.hidden.data(), golden["hidden"], 1e-6, 0, "hidden");
      std::vector<float> d_rows = golden["d_rows"], d_hidden = golden["d_hidden"], d_cell;
      tape.SetGradient(out.rows.data(), d_rows.data());
      tape.SetGradient(out.last.hidden.data(), d_hidden.data());
      if (golden.Has("cell")) {
        ExpectNear(out.last.cell.data(), golden["cell"], 1e-6, 0, "cell");
        d_cell = golden["d_cell"];
        tape.SetGradient(out.last.cell.data(), d_cell.data());
      }
      tape.Backward();
      double all = 0;
      for (const LearntParameter& p : stack.parameters->all()) {
        for (const float g : golden["d_" + p.name.substr(4)]) all += static_cast<double>(g) * g;
      }
      for (const float g : golden["dx"]) all += static_cast<double>(g) * g;
      ExpectNear(d_input.data(), golden["dx"], 1e-4, 1e-6 * std::sqrt(all), "dx");
      for (const LearntParameter& p : stack.parameters->all()) {
        std::vector<float> rows(p.outputs * p.inputs);
        Unpack(p, p.gradient.data(), rows.data());
        ExpectNear(rows.data(), golden["d_" + p.name.substr(4)], 1e-4, 1e-6 * std::sqrt(all), p.name);
      }
    }
  }
}

// A segment's states do not depend on other segments or on threads, bit for bit.
TEST(Recurrent, AloneIsAsInABatch) {
  const JsonObject json = ReadGoldens("tests/goldens/recurrent.json");
  const std::vector<double> data = ReadDoubles("tests/goldens/recurrent.bin");
  for (const Json& each : (*json.Find("cases")).GetArray()) {
    const Case golden = {each, data};
    Stack stack(golden);
    Arena arena;
    ThreadPool one(1), three(3);
    Context ctx{.arena = arena, .pool = three}, alone{.arena = arena, .pool = one};
    const std::vector<float> input = golden["x"];
    const auto inputs = static_cast<Eigen::Index>(golden.json["inputs"].GetUint());
    const ConstMatrixView x(input.data(), static_cast<Eigen::Index>(input.size()) / inputs, inputs);
    const RecurrentOutput all = stack.Forward(ctx, x);
    const Segments segments = stack.segments;
    for (size_t s = 0; s < segments.size(); ++s) {
      stack.segments = Segments::One(segments.length(s));
      const RecurrentOutput single = stack.Forward(alone, Part(x, segments.begin(s), segments.length(s)));
      EXPECT_EQ(View(single.rows), Part(View(all.rows), segments.begin(s), segments.length(s)));
      EXPECT_EQ(single.last.hidden, Part(all.last.hidden, s, 1));
    }
  }
}

}  // namespace
}  // namespace qkv
