// qkv translate: a line in, a line out.
#include <unistd.h>

#include <optional>

#include "core/cli/command.h"
#include "core/cli/lines.h"
#include "core/cli/memory.h"
#include "core/cli/progress.h"
#include "core/cli/trace_json.h"
#include "core/io/files.h"
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
    if (job.results()[i].truncated) WarnOfCut(done + i + 1, model.config().max_positions, "translated");
  }
}

// The rows of the trace are those of the lines that came; the file has its name when all have come.
void TraceLines(const TranslationModel& model, const Options& options, Context& ctx,
                const std::vector<std::string>& lines, size_t done, WholeFile& file) {
  const ReplayKind kind = options.vectors ? ReplayKind::kVectors : ReplayKind::kTrace;
  for (size_t i = 0; i < lines.size(); ++i) {
    ReplayJob job(model, ToValidUtf8(lines[i]), std::nullopt, kind, options.decode);
    Finish(job, ctx);
    WriteLine(job.result().target.text);
    CheckOrFail(file.Write(TraceJson(model, job.result()) + "\n"));
    if (job.result().source.tokens.truncated) WarnOfCut(done + i + 1, model.config().max_positions, "translated");
  }
  CheckOrFail(file.Flush());
}

void Translate(const Options& options) {
  std::optional<WholeFile> trace;
  if (!options.trace.empty()) trace.emplace(OrFail(WholeFile::Create(options.trace)));
  const std::unique_ptr<TranslationModel> model = LoadOrFail(options.common.model);
  Arena arena;
  ThreadPool pool(options.common.threads);
  Context ctx{arena, pool};
  Progress progress("lines", isatty(STDIN_FILENO));
  LineReader reader(STDIN_FILENO);
  size_t done = 0;
  for (auto lines = reader.Next(kLinesAtOnce); !lines.empty(); lines = reader.Next(kLinesAtOnce)) {
    if (trace) {
      TraceLines(*model, options, ctx, lines, done, *trace);
    } else {
      TranslateLines(*model, options, ctx, lines, done, progress);
    }
    done += lines.size();
    ReturnMemory();
    progress.Show(done);
    FlushOrFail();
  }
  if (trace) CheckOrFail(trace->Commit());
}

}  // namespace

void AddTranslate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("translate", "Translate standard input: a line in, a line out");
  AddModel(*command, options->common);
  command->add_option("--beam", options->decode.beam, "hypotheses kept; 1 is greedy [the model's own]")
      ->check(CLI::Range(size_t{1}, kLargestBeam));
  command->add_option("--max-length", options->decode.max_length, "most pieces written a line [3 x source + 50]")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("!--no-shortlist", options->decode.shortlist,
                    "search the whole vocabulary though the folder has a shortlist");
  CLI::Option* trace =
      command->add_option("--trace", options->trace, "write every attention weight, one qkv-trace/1 object a line")
          ->check(NotEmpty())
          ->type_name("FILE");
  command->add_flag("--vectors", options->vectors, "in the trace, also each head's queries, keys and values")
      ->needs(trace);
  AddThreads(*command, options->common);
  command->callback([options] { Translate(*options); });
}

}  // namespace qkv::cli
