// A generator that continues a prompt, with drafts from repetitions and one piece at a time.
#ifndef __EMSCRIPTEN__
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/generate/generate_job.h"
#include "core/load/folder.h"
#include "tests/bench/bench.h"

namespace qkv {
namespace {

// Of tests/bench/models/gpt2.mjs: one letter is one piece.
std::string MakePrompt(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += "the cat sat on a mat "[7 * i % 21];
  return text;
}

struct Written {
  std::vector<double> numbers;  // ids, then log-probabilities
  DraftCounts drafts;
};

Written Generate(const GeneratorModel& model, Context& ctx, GenerateOptions options) {
  constexpr size_t kPieces = 128;
  options.max_length = kPieces;
  GenerateJob job(model, MakePrompt(kPieces), std::move(options));
  while (!job.Step(ctx)) continue;
  Written written{{}, job.drafts()};
  for (const WrittenPiece& piece : job.pieces()) written.numbers.push_back(piece.id);
  for (const WrittenPiece& piece : job.pieces()) written.numbers.push_back(static_cast<double>(piece.log_prob));
  return written;
}

}  // namespace

bool BenchGenerator(const std::string& folder) {
  Result<LoadedFolder> loaded = LoadAnyFolder(folder, ArriveAs::kInt8);
  if (!loaded) return std::fprintf(stderr, "%s\n", loaded.error().ToString().c_str()), false;
  const auto* const found = std::get_if<std::unique_ptr<GeneratorModel>>(&loaded->model);
  if (found == nullptr) return std::fprintf(stderr, "%s is no generator\n", folder.c_str()), false;
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  for (const auto& [text, temperature] : {std::pair("repetitive", 0.2f), std::pair("ordinary", 0.4f)}) {
    for (const bool drafts : {true, false}) {
      const std::string name = std::string("generate ") + text + (drafts ? ", drafts" : ", one by one");
      const GenerateOptions options{.sampling = {.temperature = temperature, .seed = 2}, .prompt_lookup = drafts};
      Written last;
      Report(name, 0, [&] { last = Generate(**found, ctx, options); }, [&] { return last.numbers; });
      if (!TheBench().as_json && drafts && Wanted(name)) {
        std::printf("  %zu of %zu drafted pieces are accepted\n", last.drafts.accepted, last.drafts.drafted);
      }
    }
  }
  return true;
}

}  // namespace qkv
#endif
