// The kernels: products, rows, attention; and the processor's limits.
#include <cmath>
#include <cstdio>
#include <string>

#include "core/attention/attend.h"
#include "core/base/arena.h"
#include "core/base/random.h"
#include "core/kernels/attention.h"
#include "core/kernels/matmul.h"
#include "core/kernels/matmul_int8.h"
#include "core/kernels/norm.h"
#include "core/kernels/softmax.h"
#include "tests/bench/bench.h"
#include "tests/bench/peak.h"
#include "tests/bench/random.h"

namespace qkv {
namespace {

Matrix Fill(Eigen::Index rows, Eigen::Index cols) {
  Random random(1);
  Matrix m(rows, cols);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = 2 * random.Uniform() - 1;
  return m;
}

// No kernel can be faster than this.
void BenchPeak() {
  constexpr size_t kRounds = 100000;
  Report("Peak", MultiplyAddOperations(kRounds), [] { MultiplyAdds(kRounds); });
  Report("Int8 peak", DotProductOperations(kRounds), [] { DotProducts(kRounds); });
}

using ProductShape = Eigen::Index[3];  // rows, inputs, outputs

std::string NameOf(const char* kind, const ProductShape& shape) {
  char name[64];
  std::snprintf(name, sizeof(name), "%s %d x %d x %d", kind, static_cast<int>(shape[0]), static_cast<int>(shape[1]),
                static_cast<int>(shape[2]));
  return name;
}

// Other engines compute on the same numbers (onnx/product.mjs).
struct ProductInputs {
  explicit ProductInputs(const ProductShape& shape)
      : rows(shape[0]), inputs(shape[1]), outputs(shape[2]), y(rows, outputs) {
    const std::vector<float> values = SeededFloats(static_cast<size_t>(rows * inputs), 1, 7);
    x = ConstMatrixView(values.data(), rows, inputs);
    weights = MakeSeededWeights("product", static_cast<size_t>(outputs), static_cast<size_t>(inputs));
  }
  double operations() const { return 2.0 * static_cast<double>(rows * inputs * outputs); }

  Eigen::Index rows, inputs, outputs;
  Matrix x, y;
  SeededWeights weights;
};

constexpr ProductShape kProducts[] = {{512, 512, 512}, {128, 512, 2048}, {40, 512, 512},  {40, 2048, 512},
                                      {32, 512, 512},  {13, 256, 256},   {7, 512, 512},   {4, 512, 512},
                                      {4, 512, 8000},  {3, 512, 512},    {2, 512, 512},   {1, 512, 512},
                                      {1, 512, 2048},  {1, 512, 32000},  {1, 256, 32000}, {1, 256, 256}};

void BenchProducts() {
  ThreadPool pool(1);
  for (const auto& shape : kProducts) {
    const std::string name = NameOf("MatMul", shape);
    if (!Wanted(name)) continue;
    ProductInputs in(shape);
    Matrix w(in.outputs, in.inputs);
    for (Eigen::Index i = 0; i < w.size(); ++i) {
      w.data()[i] = static_cast<float>(in.weights.data[static_cast<size_t>(i)]) * in.weights.scale;
    }
    const PackedMatrix packed = Pack(View(w));
    Report(
        name, in.operations(),
        [&] { MatMul(View(in.x), packed, nullptr, Activation::kNone, {in.y.data(), in.rows, in.outputs}, pool); },
        [&] { return Excerpt(in.y.data(), static_cast<size_t>(in.y.size())); });
  }
}

// Activations are quantised in each run, because they change with every product.
void BenchInt8Products() {
  ThreadPool pool(1);
  Arena arena;
  for (const auto& shape : kProducts) {
    const std::string name = NameOf("Int8", shape);
    if (!Wanted(name)) continue;
    ProductInputs in(shape);
    const auto outputs = static_cast<size_t>(in.outputs), inputs = static_cast<size_t>(in.inputs);
    QuantizedMatrix w(Int8Layout::kPanels, outputs, inputs);
    for (size_t o = 0; o < outputs; ++o) {
      w.SetRow(o, in.weights.data.data() + o * inputs);
      w.SetScale(o, in.weights.scale);
    }
    const auto run = [&] {
      const ArenaScope scope(arena);
      MatMul(Quantize(View(in.x), arena), w, nullptr, Activation::kNone, {in.y.data(), in.rows, in.outputs}, pool);
    };
    Report(name, in.operations(), run, [&] { return Excerpt(in.y.data(), static_cast<size_t>(in.y.size())); });
  }
}

void BenchRows() {
  Matrix x = Fill(40, 512), y(40, 512), gain = Fill(1, 512), logits = Fill(4, 32000), scores = Fill(320, 40);
  Report("Softmax 320 x 40", 0, [&] { Softmax({scores.data(), 320, 40}); });
  Report("LogSoftmax 4 x 32000", 0, [&] { LogSoftmax({logits.data(), 4, 32000}); });
  Report("AddLayerNorm 40 x 512", 0,
         [&] { AddLayerNorm(View(x), View(x), gain.data(), gain.data(), 1e-5f, {y.data(), 40, 512}); });
  Report("SiLU 40 x 512", 0, [&] { Activate(Activation::kSilu, {y.data(), 40, 512}); });
}

void BenchAttention() {
  const size_t shapes[][2] = {{1, 30}, {10, 10}, {40, 40}, {512, 512}};
  for (const size_t head_dim : {32, 64}) {
    for (const auto& [queries, keys] : shapes) {
      const size_t heads = 8;
      const Matrix q = Fill(static_cast<Eigen::Index>(queries), static_cast<Eigen::Index>(heads * head_dim));
      const Matrix k = Fill(static_cast<Eigen::Index>(keys), static_cast<Eigen::Index>(heads * head_dim));
      Matrix out = q;
      ScaledDotAttention a;
      a.heads = heads, a.head_dim = head_dim, a.scale = 1 / std::sqrt(static_cast<float>(head_dim));
      a.queries = queries, a.query = q.data(), a.query_stride = heads * head_dim;
      a.keys = keys, a.key = a.value = k.data(), a.key_stride = heads * head_dim;
      a.output = out.data(), a.output_stride = heads * head_dim;
      Arena arena;
      float* scratch = arena.Floats(AttentionScratch(a));
      char name[64];
      std::snprintf(name, sizeof(name), "Attend %d x %d, 8 heads of %d", static_cast<int>(queries),
                    static_cast<int>(keys), static_cast<int>(head_dim));
      Report(name, 4.0 * static_cast<double>(queries * keys * heads * head_dim), [&] { Attend(a, scratch); });
    }
  }
}

// Measures Attend() for one score function and one length. With is_causal, query i sees keys 0 to i.
void BenchScore(const char* score, size_t length, bool is_causal) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  const Matrix w_v = Fill(1, 64), W = Fill(64, 64);
  const Parameter additive[] = {
      {"W_q", Dense(W.data(), 1, 64, 64)}, {"W_k", Dense(W.data(), 1, 64, 64)}, {"w_v", Dense(w_v.data(), 1, 1, 64)}};
  const size_t heads = 8, dim = 64;
  char name[64];
  std::snprintf(name, sizeof(name), "%s %d%s, 8 heads of 64", score, static_cast<int>(length),
                is_causal ? " causal" : "");
  if (!Wanted(name)) return;
  const auto rows = static_cast<Eigen::Index>(length), cols = static_cast<Eigen::Index>(heads * dim);
  const Matrix x = Fill(rows, cols);
  Matrix y(rows, cols);
  const ConstHeads in = SideBySide(x.data(), heads, length, dim);
  Attention attention;
  attention.score = FindScore(score);
  attention.mask.causal = is_causal;
  if (std::string(score) == "additive") attention.parameters = additive;
  const size_t pairs = is_causal ? length * (length + 1) / 2 : length * length;
  Report(name, 4.0 * static_cast<double>(pairs * heads * dim),
         [&] { Attend(ctx, attention, {in, in, in}, SideBySide(y.data(), heads, length, dim)); });
}

void BenchFamily() {
  for (const char* score : {"scaled-dot", "gaussian", "additive"}) {
    const bool is_additive = std::string(score) == "additive";
    for (const size_t length : {128, 512, 1024, 2048, 4096}) {
      if (!is_additive || length <= 512) BenchScore(score, length, false);
    }
  }
  for (const size_t length : {1024, 4096}) BenchScore("scaled-dot", length, true);
}

// A causal window of 256 keys over 4096, without and with attention sinks.
void BenchWindows() {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  constexpr size_t kLength = 4096, kWidth = 256, kHeads = 8, kDim = 64;
  for (const size_t sinks : {0, 4}) {
    char name[64];
    std::snprintf(name, sizeof(name), "window %d, %d sinks, %d", static_cast<int>(kWidth), static_cast<int>(sinks),
                  static_cast<int>(kLength));
    if (!Wanted(name)) continue;
    const Matrix x = Fill(kLength, kHeads * kDim);
    Matrix y(x.rows(), x.cols());
    const ConstHeads in = SideBySide(x.data(), kHeads, kLength, kDim);
    Attention attention;
    attention.score = FindScore("scaled-dot");
    attention.mask.causal = true;
    attention.window.kind = WindowKind::kLocalM;
    attention.window.half_width = kWidth - 1;
    attention.window.sinks = sinks;
    Report(
        name, 4.0 * kLength * (kWidth + static_cast<double>(sinks)) * kHeads * kDim,
        [&] { Attend(ctx, attention, {in, in, in}, SideBySide(y.data(), kHeads, kLength, kDim)); },
        [&] { return Excerpt(y.data(), static_cast<size_t>(y.size())); });
  }
}

}  // namespace

void BenchKernels() {
  BenchPeak();
  BenchProducts();
  BenchInt8Products();
  BenchRows();
  BenchAttention();
  BenchFamily();
  BenchWindows();
}

}  // namespace qkv
