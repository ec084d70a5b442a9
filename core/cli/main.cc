// The native command.
#include "core/cli/command.h"
#include "core/cli/memory.h"

int main(int argc, char** argv) {
  qkv::cli::ReturnLargeMemory();
  CLI::App app{
      "qkv: translate with an attention model, and see what it looked at.\n"
      "\n"
      "  echo 'I love you.' | qkv translate --model web/models/en-fr\n"
      "\n"
      "Every command is a filter: lines in from standard input, lines out in the same order. Exit codes: 0 done,\n"
      "1 failed (one line on standard error says why), 2 the command line was not understood.",
      "qkv"};
  app.require_subcommand(1);
  app.set_version_flag("--version", QKV_VERSION);
  qkv::cli::AddTranslate(app);
  qkv::cli::AddScore(app);
  qkv::cli::AddInspect(app);
  qkv::cli::AddQuantize(app);
  qkv::cli::AddScores(app);
  qkv::cli::AddShortlist(app);
  qkv::cli::AddTrain(app);
  qkv::cli::AddVocab(app);
  qkv::cli::AddEvaluate(app);
  qkv::cli::AddEncode(app);
  qkv::cli::AddFillMask(app);
  qkv::cli::AddGenerate(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : qkv::cli::kUsage;
  }
  return std::fflush(stdout) == 0 ? 0 : qkv::cli::kFailed;
}
