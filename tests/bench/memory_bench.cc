// Memory of attention over many positions beside inputs and output, by the process's peak.
#ifndef __EMSCRIPTEN__
#include <sys/resource.h>

#include <cstdio>

#include "core/attention/attend.h"
#include "core/base/arena.h"
#include "tests/bench/bench.h"
#include "tests/bench/random.h"

namespace qkv {
namespace {

double PeakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace

void BenchMemory() {
  constexpr size_t kHeads = 8, kLength = 16384, kDim = 64;
  const std::vector<float> q = SeededFloats(kHeads * kLength * kDim, 1, 1), k = q, v = q;
  std::vector<float> y = q;
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  const auto heads = [](const std::vector<float>& x) { return Dense(x.data(), kHeads, kLength, kDim); };
  const double before = PeakBytes(), start = WallTime();
  Attend(ctx, {}, {heads(q), heads(k), heads(v)}, Dense(y.data(), kHeads, kLength, kDim));
  const double milliseconds = (WallTime() - start) * 1e3;
  std::printf("{\"name\": \"memory %zu\", \"bytes\": %.0f, \"milliseconds\": %.1f}\n", kLength, PeakBytes() - before,
              milliseconds);
}

}  // namespace qkv
#endif
