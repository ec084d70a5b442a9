#include "tests/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace qkv {
namespace {

// Processor time where the system measures it, so that the time of other processes is not counted.
double Now() {
#ifdef __EMSCRIPTEN__
  return WallTime();
#else
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
#endif
}

// The best of some runs, in seconds. Several runs are timed together because a browser's clock has steps of 100 us.
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

void PrintList(const char* name, const std::vector<double>& values, const char* format) {
  std::printf(", \"%s\": [", name);
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) std::printf(", ");
    std::printf(format, values[i]);
  }
  std::printf("]");
}

// Every run within some 200 ms, without the first. `processor` is the mean processor time of a run, which other
// processes do not affect, where the system measures it.
void ReportRuns(const std::string& name, double operations, const std::function<void()>& run,
                const std::function<std::vector<double>()>& excerpt) {
  run();
  std::printf("{\"name\": \"%s\", \"operations\": %.0f", name.c_str(), operations);
  if (excerpt) PrintList("excerpt", excerpt(), "%.9g");
  std::vector<double> milliseconds;
  const double start = WallTime(), processor = Now();
  for (double before = start; before - start < 0.2 || milliseconds.size() < 3;) {
    run();
    const double after = WallTime();
    milliseconds.push_back((after - before) * 1e3);
    before = after;
  }
#ifndef __EMSCRIPTEN__
  std::printf(", \"processor\": %.6f", (Now() - processor) * 1e3 / static_cast<double>(milliseconds.size()));
#else
  static_cast<void>(processor);
#endif
  PrintList("milliseconds", milliseconds, "%.6f");
  std::printf("}\n");
}

}  // namespace

BenchOptions& TheBench() {
  static BenchOptions options;
  return options;
}

bool Wanted(const std::string& name) { return name.find(TheBench().only) != std::string::npos; }

double WallTime() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void Report(const std::string& name, double operations, const std::function<void()>& run,
            const std::function<std::vector<double>()>& excerpt) {
  if (!Wanted(name)) return;
  if (TheBench().as_json) return ReportRuns(name, operations, run, excerpt);
  const double seconds = Seconds(run);
  std::printf("  %-36s %9.1f us", name.c_str(), seconds * 1e6);
  if (operations > 0) std::printf(" %8.1f GFLOP/s", operations / seconds * 1e-9);
  std::printf("\n");
}

std::vector<double> Excerpt(const float* output, size_t size) {
  constexpr size_t kCount = 64;
  std::vector<double> some;
  for (size_t i = 0; i < kCount; ++i) {
    some.push_back(output[static_cast<size_t>((static_cast<double>(i) + 0.5) / kCount * static_cast<double>(size))]);
  }
  return some;
}

}  // namespace qkv
