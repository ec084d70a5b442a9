// qkv translate: a line in, a line out.
#include <unistd.h>

#include <fstream>

#include "core/cli/command.h"
#include "core/cli/lines.h"
#include "core/cli/memory.h"
#include "core/cli/progress.h"
#include "core/cli/trace_json.h"
#include "core/text/utf.h"
#include "core/translate/translation.h"

namespace qkv::cli {
namespace {

constexpr size_t kLinesAtOnce = 1024;

struct Options {
  Common common;
  DecodeOptions decode;
  std::string trace;
  bool vectors = false;
};

void WriteLine(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';  // a line out for a line in, whatever the model wrote
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

void TranslateLines(const TranslationModel& model, const Options& options, Context& ctx,
                    const std::vector<std::string>& lines, size_t done, Progress& progress) {
  TranslationJob job(model, lines, options.decode);
  for (size_t shown = 0; !job.Step(ctx);) {
    if (job.finished() != shown) progress.Show(done + (shown = job.finished()));
  }
  for (const Translation& translation : job.results()) WriteLine(translation.text);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (job.results()[i].truncated) {
      std::fprintf(stderr, "qkv: line %zu is longer than the model's %zu positions; the rest was not translated\n",
                   done + i + 1, model.config().max_positions);
    }
  }
}

void TraceLines(const TranslationModel& model, const Options& options, Context& ctx,
                const std::vector<std::string>& lines, std::ofstream& file) {
  const ReplayKind kind = options.vectors ? ReplayKind::kVectors : ReplayKind::kTrace;
  for (const std::string& line : lines) {
    ReplayJob job(model, ToValidUtf8(line), std::nullopt, kind, options.decode);
    Finish(job, ctx);
    WriteLine(job.result().target.text);
    file << TraceJson(model, job.result()) << '\n';
    if (!file) Fail(options.trace + ": cannot be written");
  }
}

void Translate(const Options& options) {
  std::ofstream trace;
  if (!options.trace.empty()) {
    trace.open(options.trace);
    if (!trace) Fail(options.trace + ": cannot be written");
  }
  const std::unique_ptr<TranslationModel> model = LoadOrFail(options.common.model);
  Arena arena;
  ThreadPool pool(options.common.threads);
  Context ctx{arena, pool};
  Progress progress("lines", isatty(STDIN_FILENO));
  LineReader reader(STDIN_FILENO);
  size_t done = 0;
  for (auto lines = reader.Next(kLinesAtOnce); !lines.empty(); lines = reader.Next(kLinesAtOnce)) {
    if (trace.is_open()) {
      TraceLines(*model, options, ctx, lines, trace);
    } else {
      TranslateLines(*model, options, ctx, lines, done, progress);
    }
    done += lines.size();
    ReturnMemory();
    progress.Show(done);
    if (std::fflush(stdout) != 0) Fail("standard output cannot be written");
  }
}

}  // namespace

void AddTranslate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("translate", "Translate standard input: a line in, a line out");
  AddModel(*command, options->common);
  command->add_option("--beam", options->decode.beam, "hypotheses kept; 1 is greedy [the model's own]")
      ->check(CLI::Range(size_t{1}, kLargestBeam));
  command->add_option("--max-length", options->decode.max_length, "most pieces written a line [3 x source + 50]")
      ->check(CLI::PositiveNumber);
  command->add_flag("!--no-shortlist", options->decode.shortlist,
                    "search the whole vocabulary though the folder has a shortlist");
  CLI::Option* trace =
      command->add_option("--trace", options->trace, "write every attention weight, one qkv-trace/1 object a line")
          ->type_name("FILE");
  command->add_flag("--vectors", options->vectors, "in the trace, also each head's queries, keys and values")
      ->needs(trace);
  AddThreads(*command, options->common);
  command->callback([options] { Translate(*options); });
}

}  // namespace qkv::cli
