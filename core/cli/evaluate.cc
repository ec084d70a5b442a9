// qkv evaluate: measures the quality of translations, from models and from files, and tests whether one is better than
// another.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/cli/command.h"
#include "core/cli/data.h"
#include "core/cli/json_writer.h"
#include "core/cli/option_list.h"
#include "core/cli/progress.h"
#include "core/evaluate/bleu.h"
#include "core/evaluate/bootstrap.h"
#include "core/evaluate/chrf.h"
#include "core/evaluate/words.h"
#include "core/translate/replay.h"

namespace qkv::cli {
namespace {

struct EvaluateFlags {
  Common common;  // without the option --model
  std::vector<std::string> models, hypotheses;
  std::string data;
  std::vector<size_t> lengths = {5, 10, 20, 40};  // words of a source: the upper ends of the table's rows
  DecodeOptions decode;
  size_t join = 1, samples = 1000;
  uint64_t seed = 1;
  bool perplexity = true, json = false, sentences = false;
};

// The likelihood of the references under a model.
struct Likelihood {
  double log_prob = 0;  // natural
  size_t pieces = 0;    // </s> included
  size_t words = 0;     // between white space; the end of the sentence counts as one
  double PerPiece() const { return std::exp(-log_prob / static_cast<double>(std::max<size_t>(pieces, 1))); }
  double PerWord() const { return std::exp(-log_prob / static_cast<double>(std::max<size_t>(words, 1))); }
};

struct System {
  std::string name;
  std::vector<std::string> hypotheses;
  std::optional<Likelihood> likelihood;
  std::vector<BleuCounts> bleu;  // for each sentence
  std::vector<ChrfCounts> chrf;
  std::vector<double> bleu_samples, chrf_samples;
};

double BleuOf(const BleuCounts& counts) { return ScoreBleu(counts).score; }

template <class Counts>
Counts Sum(const std::vector<Counts>& counts) {
  Counts sum;
  for (const Counts& each : counts) sum += each;
  return sum;
}

std::vector<std::string> Translate(const TranslationModel& model, const std::vector<TextPair>& pairs,
                                   const EvaluateFlags& options, Context& ctx) {
  std::vector<std::string> translations;
  Progress progress("translations", false);
  constexpr size_t kLinesAtOnce = 1024;
  for (size_t begin = 0; begin < pairs.size(); begin += kLinesAtOnce) {
    std::vector<std::string> sources;
    for (size_t i = begin; i < std::min(begin + kLinesAtOnce, pairs.size()); ++i) sources.push_back(pairs[i].source);
    TranslationJob job(model, sources, options.decode);
    while (!job.Step(ctx)) progress.Show(begin + job.finished());
    CheckOrFail(job.outcome());
    for (const Translation& translation : job.results()) translations.push_back(translation.text);
  }
  return translations;
}

Likelihood ScoreReferences(const TranslationModel& model, const std::vector<TextPair>& pairs, Context& ctx) {
  Likelihood likelihood;
  Progress progress("references", false);
  size_t done = 0;
  for (const TextPair& pair : pairs) {
    ReplayJob job(model, pair.source, pair.target, ReplayKind::kScore, {});
    Finish(job, ctx);
    likelihood.log_prob += static_cast<double>(job.result().log_prob);
    likelihood.pieces += job.result().log_probs.size();
    likelihood.words += SplitAtSpaces(pair.target).size() + 1;
    progress.Show(++done);
  }
  return likelihood;
}

System RunModel(const std::string& folder, const std::vector<TextPair>& pairs, const EvaluateFlags& options) {
  const std::unique_ptr<TranslationModel> model = LoadOrFail(folder, options.decode.shortlist);
  Arena arena;
  ThreadPool pool(options.common.threads);
  Context ctx{arena, pool};
  System system;
  system.name = folder;
  system.hypotheses = Translate(*model, pairs, options, ctx);
  if (options.perplexity) system.likelihood = ScoreReferences(*model, pairs, ctx);
  return system;
}

System ReadHypotheses(const std::string& path, size_t count) {
  Lines lines(OrFail(TextOfFile(path)));
  System system;
  system.name = path;
  std::string line;
  for (bool cut = false;;) {
    if (!OrFail(lines.Next(&line, &cut))) break;
    system.hypotheses.push_back(line);
  }
  if (system.hypotheses.size() != count) {
    Fail(path + " has " + std::to_string(system.hypotheses.size()) + " lines, and the data have " +
         std::to_string(count) + " pairs");
  }
  return system;
}

// Joins each `count` consecutive pairs to one, with a space between; the last may have fewer.
std::vector<TextPair> Join(const std::vector<TextPair>& pairs, size_t count) {
  std::vector<TextPair> joined;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (i % count == 0) {
      joined.push_back(pairs[i]);
    } else {
      joined.back().source += " " + pairs[i].source;
      joined.back().target += " " + pairs[i].target;
    }
  }
  return joined;
}

void Count(const std::vector<TextPair>& pairs, const std::vector<std::vector<uint32_t>>& samples, System& system) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    system.bleu.push_back(CountBleu(system.hypotheses[i], pairs[i].target));
    system.chrf.push_back(CountChrf(system.hypotheses[i], pairs[i].target));
  }
  system.bleu_samples = ScoreSamples(system.bleu, samples, BleuOf);
  system.chrf_samples = ScoreSamples(system.chrf, samples, ScoreChrf);
}

struct LengthRow {
  size_t from, to, sentences = 0;  // a range of words in the source
  BleuCounts bleu;
  ChrfCounts chrf;
};

std::vector<LengthRow> ByLength(const std::vector<TextPair>& pairs, const System& system,
                                const EvaluateFlags& options) {
  std::vector<LengthRow> rows;
  rows.reserve(options.lengths.size() + 1);
  for (const size_t to : options.lengths) rows.push_back({rows.empty() ? 0 : rows.back().to + 1, to, 0, {}, {}});
  rows.push_back({rows.empty() ? 0 : rows.back().to + 1, SIZE_MAX, 0, {}, {}});
  for (size_t i = 0; i < pairs.size(); ++i) {
    const size_t words = SplitAtSpaces(pairs[i].source).size();
    LengthRow& row = *std::find_if(rows.begin(), rows.end(), [&](const LengthRow& each) { return words <= each.to; });
    ++row.sentences;
    row.bleu += system.bleu[i];
    row.chrf += system.chrf[i];
  }
  std::erase_if(rows, [](const LengthRow& row) { return row.sentences == 0; });
  return rows;
}

PairedComparison CompareBleu(const System& baseline, const System& system) {
  return Compare(baseline.bleu_samples, system.bleu_samples, BleuOf(Sum(system.bleu)) - BleuOf(Sum(baseline.bleu)));
}
PairedComparison CompareChrf(const System& baseline, const System& system) {
  return Compare(baseline.chrf_samples, system.chrf_samples,
                 ScoreChrf(Sum(system.chrf)) - ScoreChrf(Sum(baseline.chrf)));
}

std::string Signature(const char* metric, const EvaluateFlags& options) {
  std::string text = metric;
  if (options.samples > 0) {
    const std::string drawn = "|bs:" + std::to_string(options.samples) + "|seed:" + std::to_string(options.seed);
    text.insert(text.find('|'), drawn);
  }
  return text + "|version:qkv-" + QKV_VERSION;
}

std::string LengthName(const LengthRow& row) {
  return row.to == SIZE_MAX ? "over " + std::to_string(row.from - 1)
                            : std::to_string(row.from) + " to " + std::to_string(row.to);
}

void PrintSystem(const System& system, const std::vector<TextPair>& pairs, const EvaluateFlags& options) {
  const BleuCounts bleu = Sum(system.bleu);
  std::printf("\n%s\n", system.name.c_str());
  std::printf("  BLEU|%s = %s", Signature(kBleuSignature, options).c_str(), ToString(ScoreBleu(bleu), bleu).c_str());
  std::printf(options.samples > 0 ? " +- %.2f\n" : "\n", ConfidenceInterval(system.bleu_samples));
  std::printf("  chrF2|%s = %.2f", Signature(kChrfSignature, options).c_str(), ScoreChrf(Sum(system.chrf)));
  std::printf(options.samples > 0 ? " +- %.2f\n" : "\n", ConfidenceInterval(system.chrf_samples));
  if (system.likelihood) {
    std::printf("  perplexity of the references: %.3f a piece, %.3f a word (%.4f nats a piece)\n",
                system.likelihood->PerPiece(), system.likelihood->PerWord(), std::log(system.likelihood->PerPiece()));
  }
  std::printf("  %-14s %9s %7s %7s\n", "source words", "sentences", "BLEU", "chrF2");
  for (const LengthRow& row : ByLength(pairs, system, options)) {
    std::printf("  %-14s %9zu %7.2f %7.2f\n", LengthName(row).c_str(), row.sentences, BleuOf(row.bleu),
                ScoreChrf(row.chrf));
  }
}

void PrintComparison(const System& baseline, const System& system) {
  const PairedComparison bleu = CompareBleu(baseline, system), chrf = CompareChrf(baseline, system);
  std::printf("\n%s against %s, paired bootstrap\n", system.name.c_str(), baseline.name.c_str());
  std::printf("  BLEU   %+.2f  p = %.4f  better in %.1f %% of the samples\n",
              BleuOf(Sum(system.bleu)) - BleuOf(Sum(baseline.bleu)), bleu.p_value, 100 * bleu.better);
  std::printf("  chrF2  %+.2f  p = %.4f  better in %.1f %% of the samples\n",
              ScoreChrf(Sum(system.chrf)) - ScoreChrf(Sum(baseline.chrf)), chrf.p_value, 100 * chrf.better);
}

void WriteString(Writer& json, const char* key, const std::string& text) {
  json.Key(key);
  String(json, text);
}
void WriteNumber(Writer& json, const char* key, double number) {
  json.Key(key);
  if (std::isfinite(number)) {
    json.Double(number);
  } else {
    json.Null();
  }
}
void WriteCount(Writer& json, const char* key, size_t count) {
  json.Key(key);
  json.Uint64(count);
}

void WriteScore(Writer& json, const char* key, double score, const std::vector<double>& samples,
                const PairedComparison* comparison) {
  json.Key(key);
  json.StartObject();
  WriteNumber(json, "score", score);
  if (!samples.empty()) WriteNumber(json, "confidence", ConfidenceInterval(samples));
  if (comparison != nullptr) {
    WriteNumber(json, "pValue", comparison->p_value);
    WriteNumber(json, "better", comparison->better);
  }
  json.EndObject();
}

void WriteSystem(Writer& json, const System& system, const System* baseline, const std::vector<TextPair>& pairs,
                 const EvaluateFlags& options) {
  // The comparison with the first system, if this is another one.
  const PairedComparison bleu = baseline != nullptr ? CompareBleu(*baseline, system) : PairedComparison();
  const PairedComparison chrf = baseline != nullptr ? CompareChrf(*baseline, system) : PairedComparison();
  json.StartObject();
  WriteString(json, "name", system.name);
  // The scores of the corpus, with intervals where the bootstrap was asked for.
  WriteScore(json, "bleu", BleuOf(Sum(system.bleu)), system.bleu_samples, baseline != nullptr ? &bleu : nullptr);
  WriteScore(json, "chrf", ScoreChrf(Sum(system.chrf)), system.chrf_samples, baseline != nullptr ? &chrf : nullptr);
  // How probable the model finds the references.
  if (system.likelihood) {
    json.Key("perplexity");
    json.StartObject();
    WriteNumber(json, "piece", system.likelihood->PerPiece());
    WriteNumber(json, "word", system.likelihood->PerWord());
    WriteNumber(json, "logProb", system.likelihood->log_prob);
    WriteCount(json, "pieces", system.likelihood->pieces);
    WriteCount(json, "words", system.likelihood->words);
    json.EndObject();
  }
  // The scores of short and of long sentences.
  json.Key("byLength");
  json.StartArray();
  for (const LengthRow& row : ByLength(pairs, system, options)) {
    json.StartObject();
    WriteCount(json, "from", row.from);
    if (row.to != SIZE_MAX) WriteCount(json, "to", row.to);
    WriteCount(json, "sentences", row.sentences);
    WriteNumber(json, "bleu", BleuOf(row.bleu));
    WriteNumber(json, "chrf", ScoreChrf(row.chrf));
    json.EndObject();
  }
  json.EndArray();
  // One number per sentence, for plots.
  if (options.sentences) {
    json.Key("chrfBySentence");
    json.StartArray();
    for (const ChrfCounts& counts : system.chrf) json.Double(ScoreChrf(counts));
    json.EndArray();
  }
  json.EndObject();
}

void PrintJson(const std::vector<System>& systems, const std::vector<TextPair>& pairs, const EvaluateFlags& options) {
  rapidjson::StringBuffer text;
  Writer json(text);
  json.StartObject();
  WriteString(json, "data", options.data);
  WriteCount(json, "pairs", pairs.size());
  WriteCount(json, "join", options.join);
  WriteString(json, "bleuSignature", Signature(kBleuSignature, options));
  WriteString(json, "chrfSignature", Signature(kChrfSignature, options));
  json.Key("systems");
  json.StartArray();
  for (const System& system : systems) {
    const bool compared = &system != &systems.front() && options.samples > 0;
    WriteSystem(json, system, compared ? &systems.front() : nullptr, pairs, options);
  }
  json.EndArray();
  json.EndObject();
  std::printf("%s\n", text.GetString());
}

void Evaluate(const EvaluateFlags& options) {
  // The checks of the options.
  if (options.models.empty() && options.hypotheses.empty()) Fail("give a model folder, or --hypotheses", kUsage);
  const std::vector<size_t>& lengths = options.lengths;
  if (std::adjacent_find(lengths.begin(), lengths.end(), std::greater_equal<>()) != lengths.end()) {
    Fail("--lengths must increase", kUsage);
  }
  const std::vector<TextPair> pairs = Join(ReadPairsOrFail(options.data), options.join);
  if (pairs.empty()) Fail(options.data + " has no pairs");
  // Every system's translations.
  std::vector<System> systems;
  systems.reserve(options.hypotheses.size() + options.models.size());
  for (const std::string& path : options.hypotheses) systems.push_back(ReadHypotheses(path, pairs.size()));
  // Models come first in the table, but files are read first: that is fast, so their errors are reported early.
  for (size_t i = 0; i < options.models.size(); ++i) {
    systems.insert(systems.begin() + static_cast<std::ptrdiff_t>(i), RunModel(options.models[i], pairs, options));
  }
  // The scores of each system, and those of the bootstrap's samples, which all systems share.
  const auto samples = DrawSamples(pairs.size(), options.samples, options.seed);
  for (System& system : systems) Count(pairs, samples, system);
  if (options.json) return PrintJson(systems, pairs, options);
  std::printf("%s: %zu pairs%s\n", options.data.c_str(), pairs.size(),
              options.join > 1 ? (", each of " + std::to_string(options.join) + " joined").c_str() : "");
  for (const System& system : systems) PrintSystem(system, pairs, options);
  for (size_t i = 1; i < systems.size() && options.samples > 0; ++i) PrintComparison(systems.front(), systems[i]);
}

}  // namespace

void AddEvaluate(CLI::App& app) {
  auto options = std::make_shared<EvaluateFlags>();
  CLI::App* command = app.add_subcommand(
      "evaluate", "Measure translations: BLEU, chrF2, perplexity, by length; compare with the first by bootstrap");
  // The systems that are compared.
  command->add_option("models", options->models, "model folders; the first is what the others are compared with")
      ->check(NotEmpty())
      ->type_name("MODEL...");
  command->add_option("--data", options->data, "pairs: SOURCE<TAB>TARGET lines, or two files with a comma between")
      ->required()
      ->check(NotEmpty())
      ->type_name("FILE");
  command->add_option("--hypotheses", options->hypotheses, "translations in a file, a line each, beside the models")
      ->check(NotEmpty())
      ->type_name("FILE...");
  command->add_option("--join", options->join, "make each so many pairs in a row one, with a space between")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--lengths", options->lengths, "words of a source, up to which a row of the table goes")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000))
      ->type_name("N,...")
      ->capture_default_str();
  // How the models translate.
  AddListed(*command, "translate", "beam", options->decode.beam);
  AddListed(*command, "translate", "shortlist", options->decode.shortlist);
  AddListed(*command, "translate", "copy", options->decode.copy);
  // The measurements and how they are printed.
  command->add_flag("!--no-perplexity", options->perplexity, "translate alone, which takes half the time");
  command->add_option("--samples", options->samples, "of the bootstrap; 0 leaves it out")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the bootstrap")->capture_default_str();
  CLI::Option* json = command->add_flag("--json", options->json, "one JSON object instead of text");
  command->add_flag("--sentences", options->sentences, "in the JSON, also chrF2 of each sentence")->needs(json);
  AddThreads(*command, options->common);
  command->callback([options] { Evaluate(*options); });
}

}  // namespace qkv::cli
