// What the kernels reach, for each target of this machine: GFLOP/s of products, microseconds of the rest.
//
// usage: qkv_bench [part of a name]
//        qkv_bench --json [part of a name]   on the target that the dispatch takes; a line of JSON for each kernel,
//        with
//                                            every run's milliseconds of wall time, as the other engines are timed
//        qkv_bench --memory                  bytes that attention over 16,384 positions needs beside inputs and output
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>

#include "core/attention/attend.h"
#include "core/base/arena.h"
#include "core/base/random.h"
#include "core/kernels/attention.h"
#include "core/kernels/matmul.h"
#include "core/kernels/norm.h"
#include "core/kernels/softmax.h"
#include "core/kernels/targets.h"
#include "tests/bench/peak.h"
#ifndef __EMSCRIPTEN__
#include <sys/resource.h>

#include "hwy/targets.h"
#endif

namespace qkv {
namespace {

std::string only;
bool as_json = false;

double WallTime() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Processor time where there is such a clock: what other processes take is not the kernel's.
double Now() {
#ifdef __EMSCRIPTEN__
  return WallTime();
#else
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

// The best of some runs, in seconds; several at a time, for the clock's resolution (100 us in a browser).
double Seconds(const std::function<void()>& run) {
#ifdef __EMSCRIPTEN__
  constexpr double kWindow = 2e-3;
#else
  constexpr double kWindow = 1e-4;
#endif
  double best = 1e9;
  const double start = Now();
  for (int i = 0; i < 5 || Now() - start < 100 * kWindow + 0.1; ++i) {
    int runs = 0;
    const double before = Now();
    double after = before;
    for (; after - before < kWindow; ++runs, after = Now()) run();
    best = std::min(best, (after - before) / runs);
  }
  return best;
}

bool Wanted(const std::string& name) { return name.find(only) != std::string::npos; }

// Every run of some 200 ms, the first one aside. `processor` is the mean time of a run that other processes had no part
// in, where there is such a clock.
void ReportRuns(const std::string& name, double operations, const std::function<void()>& run) {
  run();
  std::printf("{\"name\": \"%s\", \"operations\": %.0f, \"milliseconds\": [", name.c_str(), operations);
  const double start = WallTime(), processor = Now();
  int runs = 0;
  for (double before = start; before - start < 0.2 || runs < 3; ++runs) {
    run();
    const double after = WallTime();
    std::printf("%s%.6f", runs > 0 ? ", " : "", (after - before) * 1e3);
    before = after;
  }
#ifdef __EMSCRIPTEN__
  std::printf("]}\n");
#else
  std::printf("], \"processor\": %.6f}\n", (Now() - processor) * 1e3 / runs);
#endif
}

void Report(const std::string& name, double operations, const std::function<void()>& run) {
  if (!Wanted(name)) return;
  if (as_json) return ReportRuns(name, operations, run);
  const double seconds = Seconds(run);
  std::printf("  %-36s %9.1f us", name.c_str(), seconds * 1e6);
  if (operations > 0) std::printf(" %8.1f GFLOP/s", operations / seconds * 1e-9);
  std::printf("\n");
}

Matrix Fill(Eigen::Index rows, Eigen::Index cols) {
  Random random(1);
  Matrix m(rows, cols);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = 2 * random.Uniform() - 1;
  return m;
}

// What no kernel can be above.
void BenchPeak() {
  constexpr size_t kRounds = 100000;
  Report("Peak", MultiplyAddOperations(kRounds), [] { MultiplyAdds(kRounds); });
}

void BenchProducts() {
  ThreadPool pool(1);
  const Eigen::Index shapes[][3] = {{512, 512, 512}, {40, 512, 512},  {40, 2048, 512}, {13, 256, 256}, {7, 512, 512},
                                    {4, 512, 512},   {4, 512, 8000},  {3, 512, 512},   {2, 512, 512},  {1, 512, 512},
                                    {1, 512, 2048},  {1, 512, 32000}, {1, 256, 256}};
  for (const auto& [rows, inputs, outputs] : shapes) {
    char name[64];
    std::snprintf(name, sizeof(name), "MatMul %d x %d x %d", static_cast<int>(rows), static_cast<int>(inputs),
                  static_cast<int>(outputs));
    if (!Wanted(name)) continue;
    const Matrix x = Fill(rows, inputs), w = Fill(outputs, inputs), b = Fill(1, outputs);
    const PackedMatrix packed = Pack(View(w));
    Matrix y(rows, outputs);
    Report(name, 2.0 * static_cast<double>(rows * inputs * outputs),
           [&] { MatMul(View(x), packed, b.data(), Activation::kNone, {y.data(), rows, outputs}, pool); });
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

void BenchFamily() {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  const Matrix w_v = Fill(1, 64), W = Fill(64, 64);
  const Parameter additive[] = {
      {"W_q", Dense(W.data(), 1, 64, 64)}, {"W_k", Dense(W.data(), 1, 64, 64)}, {"w_v", Dense(w_v.data(), 1, 1, 64)}};
  for (const char* score : {"scaled-dot", "gaussian", "additive"}) {
    for (const size_t length : {128, 512, 1024, 2048}) {
      const bool is_additive = std::string(score) == "additive";
      if (is_additive && length > 512) continue;
      const size_t heads = 8, dim = 64;
      char name[64];
      std::snprintf(name, sizeof(name), "%s %d, 8 heads of 64", score, static_cast<int>(length));
      if (!Wanted(name)) continue;
      const auto rows = static_cast<Eigen::Index>(length), cols = static_cast<Eigen::Index>(heads * dim);
      const Matrix x = Fill(rows, cols);
      Matrix y(rows, cols);
      const ConstHeads in = SideBySide(x.data(), heads, length, dim);
      Attention attention;
      attention.score = FindScore(score);
      if (is_additive) attention.parameters = additive;
      Report(name, 4.0 * static_cast<double>(length * length * heads * dim),
             [&] { Attend(ctx, attention, {in, in, in}, SideBySide(y.data(), heads, length, dim)); });
    }
  }
}

#ifndef __EMSCRIPTEN__
double PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void ReportMemory() {
  constexpr size_t kHeads = 8, kLength = 16384, kDim = 64;
  const Matrix q = Fill(kHeads * kLength, kDim), k = q, v = q;
  Matrix y = q;
  const auto heads = [](const Matrix& x) { return Dense(x.data(), kHeads, kLength, kDim); };
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  const double before = PeakBytes(), start = WallTime();
  Attend(ctx, {}, {heads(q), heads(k), heads(v)}, Dense(y.data(), kHeads, kLength, kDim));
  const double milliseconds = (WallTime() - start) * 1e3;
  std::printf("{\"name\": \"memory %zu\", \"bytes\": %.0f, \"milliseconds\": %.1f}\n", kLength, PeakBytes() - before,
              milliseconds);
}
#endif

void Bench() {
  BenchPeak();
  BenchProducts();
  BenchRows();
  BenchAttention();
  BenchFamily();
}

}  // namespace
}  // namespace qkv

int main(int argc, char** argv) {
  qkv::only.clear();
  qkv::as_json = false;
  bool memory = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json") {
      qkv::as_json = true;
    } else if (argument == "--memory") {
      memory = true;
    } else {
      qkv::only = argument;
    }
  }
#ifdef __EMSCRIPTEN__
  if (!memory) qkv::Bench();
#else
  if (memory) {
    qkv::ReportMemory();
  } else if (qkv::as_json) {
    qkv::Bench();
  } else {
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      std::printf("%s\n", hwy::TargetName(target));
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(target);
      qkv::Bench();
    }
  }
#endif
  return 0;
}
