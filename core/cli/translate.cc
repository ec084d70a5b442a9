// qkv translate: translates lines.
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/cli/command.h"
#include "core/cli/line_workers.h"
#include "core/cli/lines.h"
#include "core/cli/memory.h"
#include "core/cli/option_list.h"
#include "core/cli/output.h"
#include "core/cli/progress.h"
#include "core/cli/stop.h"
#include "core/cli/trace_json.h"
#include "core/cli/translate_lines.h"
#include "core/io/files.h"
#include "core/text/utf.h"

namespace qkv::cli {
namespace {

constexpr double kNotYetAll = 0.999;  // a share of the input
constexpr size_t kLinesBeforeResume = 1024, kMostLinesAtOnce = 1'000'000;

// The next lines to translate together. A sort buffer waits until it is full.
std::vector<std::string> NextLines(const TranslateOptions& options, LineReader& reader) {
  SetInBatch(false);
  std::vector<std::string> lines = reader.Next(options.sort_buffer > 0 ? options.sort_buffer : LinesAtOnce(options));
  while (!lines.empty() && lines.size() < options.sort_buffer) {
    std::vector<std::string> more = reader.Next(options.sort_buffer - lines.size());
    if (more.empty()) break;
    std::move(more.begin(), more.end(), std::back_inserter(lines));
  }
  SetInBatch(true);
  return lines;
}

// Reads the lines whose translations an interrupted run has written. The last of them are translated again, so that an
// output of another input or of another model is not continued. Returns how many lines there were.
size_t SkipDone(const Translators& by, LineReader& reader, const LineOutput& output) {
  size_t done = 0;
  const size_t compared = output.lines() - output.last().size();
  while (done < output.lines()) {
    const size_t most = done < compared ? std::min(kLinesBeforeResume, compared - done) : output.lines() - done;
    const std::vector<std::string> lines = reader.Next(most);
    if (lines.empty()) Fail(by.options.output + " has more lines than the input");
    if (done >= compared) {
      const std::vector<std::string> again = TranslateLines(by, lines, done, [](size_t) {}).lines;
      for (size_t i = 0; i < again.size(); ++i) {
        if (again[i] == output.last()[done + i - compared]) continue;
        Fail("line " + std::to_string(done + i + 1) + " of " + by.options.output +
             " is not what this input, model and options give: it is not continued");
      }
    }
    done += lines.size();
  }
  return done;
}

// Writes one row of the trace for each line. The file gets its name when all lines are done.
void TraceLines(const TranslationModel& model, const TranslateOptions& options, Context& ctx,
                const std::vector<std::string>& lines, size_t done, WholeFile& file, LineOutput& output) {
  const ReplayKind kind = options.vectors ? ReplayKind::kVectors : ReplayKind::kTrace;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string text = ToValidUtf8(lines[i]);
    ReplayJob job(model, text, std::nullopt, kind, DecodeOf(options, {&text, 1}, done + i));
    Finish(job, ctx);
    output.Write(WithTranslation({}, "", job.result().target.text));
    CheckOrFail(file.Write(TraceJson(model, job.result(), options.interventions.text()) + "\n"));
    if (job.result().source.tokens.truncated) WarnOfCut(done + i + 1, model.config().max_positions, "translated");
    std::fputs(WarningOfEnd(done + i + 1, job.result().cut).c_str(), stderr);
  }
  CheckOrFail(file.Flush());
}

// Warns once about a model that cannot carry parts through, or only at the end of the text.
void WarnOfCarrying(const TranslationModel& model, const TranslateOptions& options) {
  const std::string_view carrying = Carrying(model);
  if (!options.decode.copy || carrying == "attention") return;
  if (carrying == "stand-ins") {
    std::fprintf(stderr, "qkv: the model has no attention: numbers and names that it loses go to the end of a line\n");
  } else if (options.terms.empty()) {
    std::fprintf(stderr,
                 "qkv: the model's vocabulary is too small to carry anything through: it reads lines as they are\n");
  } else {
    Fail("the model's vocabulary is too small to carry anything through: leave --keep and --glossary out");
  }
}

// Counts the words between white space.
size_t WordsIn(const std::vector<std::string>& lines) {
  size_t words = 0;
  for (const std::string& line : lines) {
    bool space = true;
    for (const char c : line) {
      const bool now = c == ' ' || c == '\t' || c == '\r';
      words += space && !now;
      space = now;
    }
  }
  return words;
}

// Makes the model's default beam at least as wide as the number of translations that are printed.
void WidenBeam(const TranslationModel& model, TranslateOptions& options) {
  DecodeOptions& decode = options.decode;
  if (decode.beam == 0 && decode.n_best > 1) decode.beam = std::max(decode.n_best, model.generation().beam);
  if (decode.n_best > std::max<size_t>(decode.beam, 1)) Fail("--n-best is at most --beam", kUsage);
}

LineReader InputOf(const TranslateOptions& options) {
  return options.input.empty() ? LineReader(STDIN_FILENO) : LineReader::Open(options.input);
}

LineOutput OutputOf(const TranslateOptions& options) {
  if (options.resume) return LineOutput::Continue(options.output);
  if (!options.output.empty()) return LineOutput::Create(options.output);
  return {};
}

void Translate(TranslateOptions& options) {
  // The trace and the models.
  std::optional<WholeFile> trace;
  if (!options.trace.empty()) trace.emplace(OrFail(WholeFile::Create(options.trace)));
  WriteWholeLines();
  trace ? EndOnSignals(trace->part()) : EndAfterBatchOnSignals();
  const std::unique_ptr<TranslationModel> model = LoadOrFail(options.common.model, options.decode.shortlist);
  WidenBeam(*model, options);
  options.interventions.Read(ChangeablePlaces::Of(model->config()));
  if (!IsWorker()) WarnOfCarrying(*model, options);
  std::unique_ptr<TranslationModel> then;
  if (!options.then.empty()) {
    then = LoadOrFail(options.then, options.decode.shortlist);
    if (!IsWorker()) WarnOfCarrying(*then, options);
  }
  Arena arena;
  ThreadPool pool(options.common.threads);
  Context ctx{arena, pool};
  const Translators by{*model, then.get(), options, ctx};
  if (IsWorker()) WorkOnLines(by);
  // The input, and the output behind what an interrupted run has written.
  Progress progress("lines", options.input.empty() && isatty(STDIN_FILENO));
  if (options.progress) progress.Ask();
  LineReader reader = InputOf(options);
  LineOutput output = OutputOf(options);
  size_t done = SkipDone(by, reader, output), words_before = 0;
  double share_before = 0;  // of the input, in the batches before
  output.CutRest();
  // Batch by batch, until the input ends.
  for (auto lines = NextLines(options, reader); !lines.empty(); lines = NextLines(options, reader)) {
    const size_t words = WordsIn(lines);
    if (trace) {
      TraceLines(*model, options, ctx, lines, done, *trace, output);
    } else {
      const auto shown = [&](size_t count) {
        const double part = static_cast<double>(count) / static_cast<double>(lines.size());
        const double share = share_before + (reader.Share() - share_before) * part;
        progress.Show(done + count, std::min(share, kNotYetAll), words_before + words * count / lines.size());
      };
      const DoneLines out = ShareLines(by, lines, done, shown);
      std::fputs(out.warnings.c_str(), stderr);
      for (const std::string& line : out.lines) output.Write(line);
    }
    done += lines.size();
    words_before += words;
    ReturnMemory();
    progress.Show(done, share_before = reader.Share(), words_before);
    output.Flush();
    const int signal = PendingSignal();
    if (signal == 0) continue;
    output.Close();
    Fail("stopped after " + std::to_string(done) + " lines", 128 + signal);
  }
  output.Close();
  if (trace) CheckOrFail(trace->Commit());
}

}  // namespace

void AddTranslate(CLI::App& app) {
  auto options = std::make_shared<TranslateOptions>();
  CLI::App* command = app.add_subcommand("translate", "Translate standard input: a line in, a line out");
  AddModel(*command, options->common);
  // The options that JavaScript also has.
  AddListed(*command, "translate", "beam", options->decode.beam);
  CLI::Option* n_best = AddListed(*command, "translate", "nBest", options->decode.n_best);
  AddListed(*command, "translate", "maxLength", options->decode.max_length);
  AddListed(*command, "translate", "shortlist", options->decode.shortlist);
  AddListed(*command, "translate", "copy", options->decode.copy);
  AddListed(*command, "translate", "keep", options->given.keep)->expected(1)->check(NotEmpty())->type_name("TERM");
  AddListed(*command, "translate", "glossary", options->given.glossary)->type_name("FILE");
  CLI::Option* confidence = AddListed(*command, "translate", "confidence", options->confidence)->excludes(n_best);
  CLI::Option* scores =
      AddListed(*command, "translate", "scores", options->scores)->excludes(n_best)->excludes(confidence);
  // The output besides the translation.
  CLI::Option* trace =
      command->add_option("--trace", options->trace, "write every attention weight, one qkv-trace/1 object a line")
          ->check(NotEmpty())
          ->excludes(n_best)
          ->excludes(scores)
          ->type_name("FILE");
  options->interventions.AddTo(*command);
  command->add_option("--then", options->then, "another model folder, which translates the translations: two as one")
      ->check(NotEmpty())
      ->excludes(trace)
      ->excludes(n_best)
      ->excludes(scores)
      ->excludes(options->interventions.option())
      ->type_name("FOLDER");
  AddListed(*command, "translate", "vectors", options->vectors)->needs(trace);
  CLI::Option* column =
      command
          ->add_option("--tsv", options->format.column, "translate this column of TSV, from 1; the last column is new")
          ->check(CLI::Range(1, 1'000'000))
          ->excludes(trace)
          ->excludes(n_best)
          ->type_name("COLUMN");
  command
      ->add_option("--jsonl", options->format.field,
                   "translate this field of JSON objects, one a line; the field translation is new")
      ->check(NotEmpty())
      ->excludes(trace)
      ->excludes(column)
      ->type_name("FIELD");
  command->add_flag("--progress", options->progress,
                    "say on standard error how far it is, also where that is no terminal");
  command
      ->add_option("--input", options->input, "read this file, plain or compressed by gzip or zstd, not standard input")
      ->check(NotEmpty())
      ->type_name("FILE");
  CLI::Option* output =
      command->add_option("--output", options->output, "write this new file; compressed if it is *.gz or *.zst")
          ->check(NotEmpty())
          ->type_name("FILE");
  command
      ->add_flag("--resume", options->resume,
                 "continue the output of an interrupted run, after its last lines are checked")
      ->needs(output)
      ->excludes(n_best)
      ->excludes(trace);
  command
      ->add_flag("--split", options->split,
                 "cut lines into sentences, translate each by itself, and put them together again")
      ->excludes(trace)
      ->excludes(n_best)
      ->excludes(scores)
      ->excludes(options->interventions.option());
  command
      ->add_option("--sort-buffer", options->sort_buffer,
                   "read this many lines before they are sorted by length and translated; they come out in order")
      ->check(CLI::Range(size_t{1}, kMostLinesAtOnce))
      ->excludes(trace)
      ->type_name("LINES");
  AddThreads(*command, options->common);
  command->callback([options] {
    options->terms = options->given.Read();
    options->format.figure = options->scores ? "score" : options->confidence ? "confidence" : nullptr;
    Translate(*options);
  });
}

}  // namespace qkv::cli
