// The native command.
#include <algorithm>
#include <exception>
#include <new>

#include "core/cli/command.h"
#include "core/cli/memory.h"

namespace qkv::cli {

void SayFailure(std::string message) {
  if (message.empty()) return;
  std::replace_if(
      message.begin(), message.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  std::fprintf(stderr, "qkv: %s\n", message.c_str());
}

namespace {

// Runs the command that the arguments name. Help and version are printed as the results of commands are.
void RunCommand(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      const std::vector<CLI::App*> commands = app.get_subcommands();
      const std::string name = commands.empty() ? "qkv" : "qkv " + commands.front()->get_name();
      const bool unknown = commands.empty() && argc > 1 && argv[1][0] != '-';
      const std::string wrong = unknown ? std::string(argv[1]) + " is not a command" : error.what();
      Fail(wrong + "; " + name + " --help says what it takes", kUsage);
    }
    app.exit(error);
  }
  FlushOrFail();
}

}  // namespace
}  // namespace qkv::cli

int main(int argc, char** argv) {
  using namespace qkv::cli;
  ReturnLargeMemory();
  CLI::App app{
      "qkv: translate with an attention model, and see what it looked at.\n"
      "\n"
      "  echo 'I love you.' | qkv translate --model web/models/en-fr\n"
      "\n"
      "Every command is a filter: lines in from standard input, lines out in the same order. Exit codes: 0 done,\n"
      "1 failed (one line on standard error says why), 2 the command line was not understood, 130 or 143 stopped by\n"
      "a signal: a training may be resumed, and of a translation the lines that were written are whole.",
      "qkv"};
  app.require_subcommand(1);
  app.set_version_flag("--version", QKV_VERSION);
  AddTranslate(app);
  AddScore(app);
  AddExplain(app);
  AddInspect(app);
  AddQuantize(app);
  AddScores(app);
#ifdef __EMSCRIPTEN__  // the command in Node does not train; for detection there is qkv/detect
  AddServe(app);
#else
  AddDetect(app);
  AddExport(app);
  AddShortlist(app);
  AddTrain(app);
  AddVocab(app);
  AddEvaluate(app);
#endif
  AddEncode(app);
  AddFillMask(app);
  AddGenerate(app);
  AddOptions(app);
  AddManual(app);
  AddCompletion(app);
  try {
    RunCommand(app, argc, argv);
    return 0;
  } catch (const Failure& failure) {
    SayFailure(failure.message);
    return failure.exit_code;
  } catch (const std::bad_alloc&) {
    SayFailure("there is not enough memory");
  } catch (const std::exception& error) {  // thrown by a library
    SayFailure(error.what());
  }
  return kFailed;
}
