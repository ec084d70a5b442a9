// What the commands share: common options and the handling of failures.
#pragma once

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "core/base/context.h"
#include "core/base/job.h"
#include "core/translate/folder.h"

namespace qkv::cli {

inline constexpr int kFailed = 1, kUsage = 2;
inline constexpr int kNobodyReads = 141;  // a shell's exit status of a filter that SIGPIPE ended: 128 + 13

// A failure of a command. It is thrown, so that destructors remove unfinished files before main prints the message.
struct Failure {
  std::string message;  // a line that says what to do; empty if it was printed already
  int exit_code;
};
[[noreturn]] inline void Fail(std::string message, int exit_code = kFailed) {
  throw Failure{std::move(message), exit_code};
}
// Prints a failure's message to standard error, or nothing if the message is empty. File names may contain control
// characters: each is printed as `?`.
void SayFailure(std::string message);

// Flushes the output, and fails if it cannot be written, for example because the disk is full. If the reader has closed
// the pipe, the process ends without a message: natively by SIGPIPE, and where SIGPIPE is ignored, as in Node, here.
inline void FlushOrFail() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  if (errno == EPIPE) Fail("", kNobodyReads);
  Fail("standard output cannot be written");
}

// The check of an option that names a file or a folder.
inline CLI::Validator NotEmpty() {
  return {[](std::string& text) { return text.empty() ? "a name is missing" : ""; }, ""};
}

// The value of a result; fails with its error.
template <class T>
T OrFail(Result<T> result) {
  if (!result) Fail(result.error().ToString());
  return std::move(*result);
}
inline void CheckOrFail(const Result<void>& result) {
  if (!result) Fail(result.error().ToString());
}

inline std::unique_ptr<TranslationModel> LoadOrFail(const std::string& folder, bool shortlist = true) {
  return OrFail(LoadFolder(folder, shortlist));
}

// The warning about a line of which only the beginning was read. `what`: what was not done with the rest.
inline std::string WarningOfCut(size_t line, size_t positions, const char* what) {
  return "qkv: line " + std::to_string(line) + " is longer than the model's " + std::to_string(positions) +
         " positions; the rest was not " + what + "\n";
}
inline void WarnOfCut(size_t line, size_t positions, const char* what) {
  std::fputs(WarningOfCut(line, positions, what).c_str(), stderr);
}

// Runs a job to its end, or fails with its error.
inline void Finish(Job& job, Context& ctx) {
  while (!job.Step(ctx)) continue;
  CheckOrFail(job.outcome());
}

// The default of --threads. In Node each thread has a copy of the model, so there are at most four.
unsigned Processors();

struct Common {
  std::string model;
  unsigned threads = Processors();
};

inline void AddModel(CLI::App& command, Common& common) {
  command
      .add_option("-m,--model", common.model, "model folder: config.json, model.safetensors, source.spm, vocab.json")
      ->required()
      ->envname("QKV_MODEL")
      ->check(NotEmpty())
      ->type_name("FOLDER");
}

inline void AddThreads(CLI::App& command, Common& common) {
  command.add_option("--threads", common.threads, "threads; results do not depend on it")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
}

// Each function adds one subcommand.
void AddTranslate(CLI::App& app);
void AddScore(CLI::App& app);
void AddExplain(CLI::App& app);
void AddInspect(CLI::App& app);
void AddQuantize(CLI::App& app);
void AddExport(CLI::App& app);
void AddScores(CLI::App& app);
void AddShortlist(CLI::App& app);
void AddEncode(CLI::App& app);
void AddFillMask(CLI::App& app);
void AddGenerate(CLI::App& app);
void AddOptions(CLI::App& app);
void AddManual(CLI::App& app);
void AddCompletion(CLI::App& app);
void AddDetect(CLI::App& app);
void AddTrain(CLI::App& app);
void AddVocab(CLI::App& app);
void AddEvaluate(CLI::App& app);
void AddServe(CLI::App& app);  // in Node

}  // namespace qkv::cli
