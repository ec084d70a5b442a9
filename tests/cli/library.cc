// A program that uses each part of the library through its one header: install.test.js builds it against the installed
// library. It prints a line for each part.
//
// usage: library TRANSLATOR ENCODER GENERATOR CONFIG   three model folders, and the config of a run of training
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/qkv.h"

namespace {

// The value, or the end of the program with the error.
template <class T>
T Need(qkv::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().ToString().c_str());
  std::exit(1);
}

template <class Model>
std::unique_ptr<Model> Load(const char* folder) {
  qkv::LoadedFolder loaded = Need(qkv::LoadAnyFolder(folder));
  return std::move(std::get<std::unique_ptr<Model>>(loaded.model));
}

void Finish(qkv::Job& job, qkv::Context& context) {
  while (!job.Step(context)) continue;
  if (job.outcome()) return;
  std::fprintf(stderr, "%s\n", job.outcome().error().ToString().c_str());
  std::exit(1);
}

}  // namespace

int main(int, char** argv) {
  qkv::Arena arena;
  qkv::ThreadPool pool(1);
  qkv::Context context{arena, pool};

  const auto translator = Need(qkv::LoadFolder(argv[1]));
  qkv::TranslationJob translation(*translator, {"I love you."}, {});
  Finish(translation, context);
  std::printf("translate %s\n", translation.results().front().text.c_str());

  qkv::ReplayJob replay(*translator, "I love you.", std::nullopt, qkv::ReplayKind::kTrace, {});
  Finish(replay, context);
  std::printf("trace %zu\n", replay.result().log_probs.size());

  const auto encoder = Load<qkv::EncoderModel>(argv[2]);
  qkv::EncodeJob encode(*encoder, {{"the cat"}}, {.hidden = true});
  Finish(encode, context);
  std::printf("encode %zu\n", encode.results().front().encoding.ids.size());

  const auto generator = Load<qkv::GeneratorModel>(argv[3]);
  qkv::GenerateJob generate(*generator, "the", {.max_length = 4});
  Finish(generate, context);
  std::printf("generate %zu\n", generate.pieces().size());

  std::ifstream file(argv[4]);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string path = argv[4];
  const qkv::RunEnd end =
      Need(qkv::Run(Need(qkv::ParseRunConfig(text, path)), text, path.substr(0, path.rfind('/')), qkv::RunOptions{}));
  std::printf("train %zu\n", static_cast<size_t>(end.step));
}
