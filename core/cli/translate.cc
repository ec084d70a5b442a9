// qkv translate: translates lines.
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <span>

#include "core/cli/command.h"
#include "core/cli/intervene.h"
#include "core/cli/lines.h"
#include "core/cli/memory.h"
#include "core/cli/option_list.h"
#include "core/cli/output.h"
#include "core/cli/progress.h"
#include "core/cli/records.h"
#include "core/cli/split_texts.h"
#include "core/cli/stop.h"
#include "core/cli/terms.h"
#include "core/cli/trace_json.h"
#include "core/io/files.h"
#include "core/text/utf.h"
#include "core/translate/translation.h"

namespace qkv::cli {
namespace {

constexpr size_t kLinesAtOnce = 1024, kMostLinesAtOnce = 1'000'000;

struct Options {
  Common common;
  DecodeOptions decode;
  std::string trace, then;
  std::string input, output;
  RecordFormat format;
  bool vectors = false, confidence = false, resume = false, progress = false, split = false;
  size_t sort_buffer = 0;  // lines that are sorted by length at a time; 0: as many as have come
  Terms given;
  InterventionsFile interventions;
  std::vector<std::pair<std::string, std::string>> terms;  // terms with a given translation
};

// Warns about a translation that was cut.
void WarnOfEnd(size_t line, Cut cut) {
  if (cut == Cut::kRepetition) std::fprintf(stderr, "qkv: line %zu repeated itself, and was cut\n", line);
  if (cut == Cut::kLength) std::fprintf(stderr, "qkv: line %zu reached its maximum length and was cut\n", line);
}

// The options of decoding for these lines, with the terms that occur in them. `first`: the number of the first line.
DecodeOptions DecodeOf(const Options& options, std::span<const std::string> lines, size_t first = 0) {
  DecodeOptions decode = options.decode;
  decode.changes = options.interventions.changes();
  decode.first_sentence = first;
  for (const std::string& line : lines) decode.given.push_back(FindTerms(line, options.terms));
  return decode;
}

// The translations of some lines; `shown` is told how many there are so far.
std::vector<Translation> TranslationsOf(const TranslationModel& model, const std::vector<std::string>& lines,
                                        const DecodeOptions& decode, Context& ctx,
                                        const std::function<void(size_t)>& shown) {
  TranslationJob job(model, lines, decode);
  for (size_t last = 0; !job.Step(ctx);) {
    if (job.finished() != last) shown(last = job.finished());
  }
  CheckOrFail(job.outcome());
  return job.results();
}

// Translates the translations once more. The beam and the longest length are the second model's; a term that has become
// its translation stays.
void TranslateOnce(const TranslationModel& then, const Options& options, Context& ctx,
                   std::vector<Translation>& translations) {
  Options second = options;
  for (auto& [term, translation] : second.terms) term = translation;
  std::vector<std::string> between;
  between.reserve(translations.size());
  for (const Translation& translation : translations) between.push_back(translation.text);
  std::vector<Translation> done = TranslationsOf(then, between, DecodeOf(second, between), ctx, [](size_t) {});
  for (size_t i = 0; i < done.size(); ++i) {
    const Translation& first = translations[i];
    done[i].confidence *= first.confidence;
    done[i].truncated = done[i].truncated || first.truncated;
    done[i].foreign = first.foreign;
    if (done[i].cut == Cut::kNone) done[i].cut = first.cut;
  }
  translations = std::move(done);
}

// The models, and what a translation needs beside them.
struct Translators {
  const TranslationModel& model;
  const TranslationModel* then;  // translates the translations; null if there is none
  const Options& options;
  Context& ctx;
};

// What is printed for a line.
std::string LineOf(const Options& options, const std::string& line, size_t number, const Translation& translation) {
  if (options.decode.n_best == 1) {
    const auto confidence = options.confidence ? std::optional<float>(translation.confidence) : std::nullopt;
    return WithTranslation(options.format, line, translation.text, confidence);
  }
  std::vector<ScoredLine> all;
  all.reserve(translation.n_best.size());
  for (const ScoredText& one : translation.n_best) all.push_back({one.text, one.score});
  if (all.empty()) all.push_back({translation.text, translation.score});
  return WithTranslations(options.format, line, number, all);
}

// The translations of texts, by both models if there are two.
std::vector<Translation> TranslateTexts(const Translators& by, const std::vector<std::string>& texts, size_t done,
                                        const std::function<void(size_t)>& shown) {
  Options first = by.options;
  if (by.then != nullptr) first.decode.beam = first.decode.max_length = 0;
  std::vector<Translation> translations = TranslationsOf(by.model, texts, DecodeOf(first, texts, done), by.ctx, shown);
  if (by.then != nullptr) TranslateOnce(*by.then, by.options, by.ctx, translations);
  return translations;
}

// The lines of the output for some lines of the input, of which `done` came before. `shown` is told how many there are
// so far.
std::vector<std::string> TranslateLines(const Translators& by, const std::vector<std::string>& lines, size_t done,
                                        const std::function<void(size_t)>& shown) {
  const Options& options = by.options;
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const std::string& line : lines) texts.push_back(TextOf(options.format, line, done + texts.size() + 1));
  std::vector<Translation> translations;
  if (options.split) {
    const SplitTexts split(texts);
    translations = split.Join(TranslateTexts(by, split.sentences(), 0, [](size_t) {}));
  } else {
    translations = TranslateTexts(by, texts, done, shown);
  }
  std::vector<std::string> out;
  out.reserve(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const Translation& translation = translations[i];
    out.push_back(LineOf(options, lines[i], done + i + 1, translation));
    if (translation.truncated) WarnOfCut(done + i + 1, by.model.config().max_positions, "translated");
    WarnOfEnd(done + i + 1, translation.cut);
    if (options.confidence && translation.foreign) {
      std::fprintf(stderr, "qkv: line %zu does not look like the language that the model reads\n", done + i + 1);
    }
  }
  return out;
}

// The next lines to translate together. A sort buffer waits until it is full.
std::vector<std::string> NextLines(const Options& options, LineReader& reader) {
  at_work = 0;
  std::vector<std::string> lines = reader.Next(options.sort_buffer > 0 ? options.sort_buffer : kLinesAtOnce);
  while (!lines.empty() && lines.size() < options.sort_buffer) {
    std::vector<std::string> more = reader.Next(options.sort_buffer - lines.size());
    if (more.empty()) break;
    std::move(more.begin(), more.end(), std::back_inserter(lines));
  }
  at_work = 1;
  return lines;
}

// Reads the lines whose translations an interrupted run has written. The last of them are translated again, so that an
// output of another input or of another model is not continued. Returns how many lines there were.
size_t SkipDone(const Translators& by, LineReader& reader, const LineOutput& output) {
  size_t done = 0;
  const size_t compared = output.lines() - output.last().size();
  while (done < output.lines()) {
    const size_t most = done < compared ? std::min(kLinesAtOnce, compared - done) : output.lines() - done;
    const std::vector<std::string> lines = reader.Next(most);
    if (lines.empty()) Fail(by.options.output + " has more lines than the input");
    if (done >= compared) {
      const std::vector<std::string> again = TranslateLines(by, lines, done, [](size_t) {});
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
void TraceLines(const TranslationModel& model, const Options& options, Context& ctx,
                const std::vector<std::string>& lines, size_t done, WholeFile& file, LineOutput& output) {
  const ReplayKind kind = options.vectors ? ReplayKind::kVectors : ReplayKind::kTrace;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string text = ToValidUtf8(lines[i]);
    ReplayJob job(model, text, std::nullopt, kind, DecodeOf(options, {&text, 1}, done + i));
    Finish(job, ctx);
    output.Write(WithTranslation({}, "", job.result().target.text, std::nullopt));
    CheckOrFail(file.Write(TraceJson(model, job.result(), options.interventions.text()) + "\n"));
    if (job.result().source.tokens.truncated) WarnOfCut(done + i + 1, model.config().max_positions, "translated");
    WarnOfEnd(done + i + 1, job.result().cut);
  }
  CheckOrFail(file.Flush());
}

// Warns once about a model that carries worse than others.
void WarnOfCarrying(const TranslationModel& model, const Options& options) {
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

// The model's own beam is made as wide as the number of translations that are printed.
void WidenBeam(const TranslationModel& model, Options& options) {
  DecodeOptions& decode = options.decode;
  if (decode.beam == 0 && decode.n_best > 1) decode.beam = std::max(decode.n_best, model.generation().beam);
  if (decode.n_best > std::max<size_t>(decode.beam, 1)) Fail("--n-best is at most --beam", kUsage);
}

LineReader InputOf(const Options& options) {
#ifdef __EMSCRIPTEN__
  if (!options.input.empty() || !options.output.empty()) {
    Fail("--input and --output are the native command's; use < and > instead", kUsage);
  }
#endif
  return options.input.empty() ? LineReader(STDIN_FILENO) : LineReader::Open(options.input);
}

LineOutput OutputOf([[maybe_unused]] const Options& options) {
#ifndef __EMSCRIPTEN__
  if (options.resume) return LineOutput::Continue(options.output);
  if (!options.output.empty()) return LineOutput::Create(options.output);
#endif
  return {};
}

void Translate(Options& options) {
  // The trace and the models.
  std::optional<WholeFile> trace;
  if (!options.trace.empty()) trace.emplace(OrFail(WholeFile::Create(options.trace)));
  WriteWholeLines();
  trace ? EndOnSignals(trace->part()) : EndAfterBatchOnSignals();
  const std::unique_ptr<TranslationModel> model = LoadOrFail(options.common.model);
  WidenBeam(*model, options);
  options.interventions.Read(ChangeablePlaces::Of(model->config()));
  WarnOfCarrying(*model, options);
  std::unique_ptr<TranslationModel> then;
  if (!options.then.empty()) {
    then = LoadOrFail(options.then);
    WarnOfCarrying(*then, options);
  }
  // The input, and the output behind what an interrupted run has written.
  Arena arena;
  ThreadPool pool(options.common.threads);
  Context ctx{arena, pool};
  Progress progress("lines", options.input.empty() && isatty(STDIN_FILENO));
  if (options.progress) progress.Ask();
  LineReader reader = InputOf(options);
  LineOutput output = OutputOf(options);
  const Translators by{*model, then.get(), options, ctx};
  size_t done = SkipDone(by, reader, output);
  // Batch by batch, until the input ends.
  for (auto lines = NextLines(options, reader); !lines.empty(); lines = NextLines(options, reader)) {
    if (trace) {
      TraceLines(*model, options, ctx, lines, done, *trace, output);
    } else {
      const auto shown = [&](size_t count) { progress.Show(done + count); };
      for (const std::string& line : TranslateLines(by, lines, done, shown)) output.Write(line);
    }
    done += lines.size();
    ReturnMemory();
    progress.Show(done, reader.Share());
    output.Flush();
    if (told == 0) continue;
    output.Close();
    Fail("stopped after " + std::to_string(done) + " lines", 128 + told);
  }
  output.Close();
  if (trace) CheckOrFail(trace->Commit());
}

}  // namespace

void AddTranslate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("translate", "Translate standard input: a line in, a line out");
  AddModel(*command, options->common);
  // The options that JavaScript has too.
  AddListed(*command, "translate", "beam", options->decode.beam);
  CLI::Option* n_best = AddListed(*command, "translate", "nBest", options->decode.n_best);
  AddListed(*command, "translate", "maxLength", options->decode.max_length);
  AddListed(*command, "translate", "shortlist", options->decode.shortlist);
  AddListed(*command, "translate", "copy", options->decode.copy);
  AddListed(*command, "translate", "keep", options->given.keep)->expected(1)->check(NotEmpty())->type_name("TERM");
  AddListed(*command, "translate", "glossary", options->given.glossary)->type_name("FILE");
  AddListed(*command, "translate", "confidence", options->confidence)->excludes(n_best);
  // What is written besides the translation.
  CLI::Option* trace =
      command->add_option("--trace", options->trace, "write every attention weight, one qkv-trace/1 object a line")
          ->check(NotEmpty())
          ->excludes(n_best)
          ->type_name("FILE");
  options->interventions.AddTo(*command);
  command->add_option("--then", options->then, "another model folder, which translates the translations: two as one")
      ->check(NotEmpty())
      ->excludes(trace)
      ->excludes(n_best)
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
    Translate(*options);
  });
}

}  // namespace qkv::cli
