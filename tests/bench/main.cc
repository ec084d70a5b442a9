// What the engine reaches: GFLOP/s of products, microseconds of other kernels, milliseconds of whole models.
//
// usage: qkv_bench [part of a name]          the kernels, for each target of this machine
//        qkv_bench --json [part of a name]   on the target that dispatch chooses; one line of JSON for each, with the
// wall
//                                            time of every run in milliseconds, as the other engines are timed
//        qkv_bench [--json] --model FOLDER [part of a name]   the translation model in a folder
//        qkv_bench [--json] --generator FOLDER [part of a name]   the generator in a folder, as int8
//        qkv_bench --memory                  bytes that attention over 16,384 positions needs beside inputs and output
#include <cstdio>
#include <string>
#include <string_view>

#include "tests/bench/bench.h"
#ifndef __EMSCRIPTEN__
#include "core/kernels/targets.h"
#include "hwy/targets.h"
#endif

namespace qkv {
namespace {

void BenchAllTargets() {
#ifdef __EMSCRIPTEN__
  BenchKernels();
#else
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    std::printf("%s\n", hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    BenchKernels();
  }
#endif
}

}  // namespace
}  // namespace qkv

int main(int argc, char** argv) {
  qkv::TheBench() = {};  // WebAssembly calls main many times
  std::string model, generator;
  bool memory = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json") {
      qkv::TheBench().as_json = true;
    } else if (argument == "--memory") {
      memory = true;
    } else if (argument == "--model" && i + 1 < argc) {
      model = argv[++i];
    } else if (argument == "--generator" && i + 1 < argc) {
      generator = argv[++i];
    } else {
      qkv::TheBench().only = argument;
    }
  }
  if (!model.empty()) return qkv::BenchModel(model) ? 0 : 1;
#ifndef __EMSCRIPTEN__
  if (!generator.empty()) return qkv::BenchGenerator(generator) ? 0 : 1;
  if (memory) {
    qkv::BenchMemory();
    return 0;
  }
#endif
  if (qkv::TheBench().as_json) {
    qkv::BenchKernels();
  } else {
    qkv::BenchAllTargets();
  }
  return 0;
}
