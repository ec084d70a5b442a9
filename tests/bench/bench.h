// How something is timed and reported, for kernels_bench.cc and models_bench.cc.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace qkv {

struct BenchOptions {
  std::string only;      // part of the names that are wanted
  bool as_json = false;  // a line of JSON with every run, as the other engines are timed
};
BenchOptions& TheBench();

bool Wanted(const std::string& name);

double WallTime();  // seconds

// Runs what is wanted and prints its time. `operations` of a run, 0 where a rate says nothing. `excerpt`: numbers that
// show what a run has computed, asked for after the first one.
void Report(const std::string& name, double operations, const std::function<void()>& run,
            const std::function<std::vector<double>()>& excerpt = nullptr);

// Some numbers of a result, from all over it: those of tests/bench/inputs.mjs.
std::vector<double> Excerpt(const float* output, size_t size);

void BenchKernels();
void BenchMemory();
// What the model of a folder does; false when it cannot be loaded.
bool BenchModel(const std::string& folder);

}  // namespace qkv
