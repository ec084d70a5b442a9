// How something is timed and reported, for kernels_bench.cc and models_bench.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace qkv {

struct BenchOptions {
  std::string only;      // part of the wanted names
  bool as_json = false;  // one line of JSON with every run, as the other engines are timed
};
BenchOptions& TheBench();

bool Wanted(const std::string& name);

double WallTime();  // seconds

// Runs what is wanted and prints its time. `operations` is the count for a run, or 0 where a rate means nothing.
// `excerpt` returns numbers that show what a run computed; it is called after the first run.
void Report(const std::string& name, double operations, const std::function<void()>& run,
            const std::function<std::vector<double>()>& excerpt = nullptr);

// Some numbers from all over a result: those of tests/bench/inputs.mjs.
std::vector<double> Excerpt(const float* output, size_t size);

void BenchKernels();
void BenchMemory();
// Measures the model of a folder; false if it cannot be loaded.
bool BenchModel(const std::string& folder);
// The same for a generator's folder. Natively only.
bool BenchGenerator(const std::string& folder);

}  // namespace qkv
