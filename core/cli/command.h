// What the commands share: their common options, and how they end.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "core/base/context.h"
#include "core/base/job.h"
#include "core/translate/folder.h"

namespace qkv::cli {

inline constexpr int kFailed = 1, kUsage = 2;

// A failure ends the process: one line on stderr that says what to do, and exit code 1.
[[noreturn]] inline void Fail(const std::string& message) {
  std::fprintf(stderr, "qkv: %s\n", message.c_str());
  std::exit(kFailed);
}

inline std::unique_ptr<TranslationModel> LoadOrFail(const std::string& folder, bool shortlist = true) {
  Result<std::unique_ptr<TranslationModel>> model = LoadFolder(folder, shortlist);
  if (!model) Fail(model.error().ToString());
  return std::move(*model);
}

// Runs a job to its end, or fails with its error.
inline void Finish(Job& job, Context& ctx) {
  while (!job.Step(ctx)) continue;
  if (!job.outcome()) Fail(job.outcome().error().ToString());
}

struct Common {
  std::string model;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
};

inline void AddModel(CLI::App& command, Common& common) {
  command
      .add_option("-m,--model", common.model, "model folder: config.json, model.safetensors, source.spm, vocab.json")
      ->required()
      ->envname("QKV_MODEL")
      ->type_name("FOLDER");
}

inline void AddThreads(CLI::App& command, Common& common) {
  command.add_option("--threads", common.threads, "threads; results do not depend on it")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
}

// Each adds its subcommand.
void AddTranslate(CLI::App& app);
void AddScore(CLI::App& app);
void AddInspect(CLI::App& app);
void AddQuantize(CLI::App& app);
void AddScores(CLI::App& app);
void AddShortlist(CLI::App& app);
void AddEncode(CLI::App& app);
void AddFillMask(CLI::App& app);
void AddGenerate(CLI::App& app);
void AddTrain(CLI::App& app);
void AddVocab(CLI::App& app);
void AddEvaluate(CLI::App& app);

}  // namespace qkv::cli
