#include "core/cli/translate_lines.h"

#include "core/cli/split_texts.h"

namespace qkv::cli {
namespace {

// The translations of some lines; calls `shown` with their number so far.
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

// Translates the translations once more. The beam and the maximum length are those of the second model. Terms that the
// first model has replaced by their translation stay.
void TranslateOnce(const TranslationModel& then, const TranslateOptions& options, Context& ctx,
                   std::vector<Translation>& translations) {
  TranslateOptions second = options;
  for (auto& [term, translation] : second.terms) term = translation;
  std::vector<std::string> between;
  between.reserve(translations.size());
  for (const Translation& translation : translations) between.push_back(translation.text);
  std::vector<Translation> done = TranslationsOf(then, between, DecodeOf(second, between, 0), ctx, [](size_t) {});
  for (size_t i = 0; i < done.size(); ++i) {
    const Translation& first = translations[i];
    done[i].confidence *= first.confidence;
    done[i].truncated = done[i].truncated || first.truncated;
    done[i].foreign = first.foreign;
    if (done[i].cut == Cut::kNone) done[i].cut = first.cut;
  }
  translations = std::move(done);
}

// The output for a line.
std::string LineOf(const TranslateOptions& options, const std::string& line, size_t number,
                   const Translation& translation) {
  if (options.decode.n_best == 1) {
    const float figure = options.scores ? translation.score : translation.confidence;
    return WithTranslation(options.format, line, translation.text, figure);
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
  TranslateOptions first = by.options;
  if (by.then != nullptr) first.decode.beam = first.decode.max_length = 0;
  std::vector<Translation> translations = TranslationsOf(by.model, texts, DecodeOf(first, texts, done), by.ctx, shown);
  if (by.then != nullptr) TranslateOnce(*by.then, by.options, by.ctx, translations);
  return translations;
}

}  // namespace

std::string WarningOfEnd(size_t line, Cut cut) {
  const std::string start = "qkv: line " + std::to_string(line);
  if (cut == Cut::kRepetition) return start + " repeated itself, and was cut\n";
  if (cut == Cut::kLength) return start + " reached its maximum length and was cut\n";
  return "";
}

DecodeOptions DecodeOf(const TranslateOptions& options, std::span<const std::string> lines, size_t first) {
  DecodeOptions decode = options.decode;
  decode.changes = options.interventions.changes();
  decode.first_sentence = first;
  for (const std::string& line : lines) decode.given.push_back(FindTerms(line, options.terms));
  return decode;
}

DoneLines TranslateLines(const Translators& by, const std::vector<std::string>& lines, size_t done,
                         const std::function<void(size_t)>& shown) {
  const TranslateOptions& options = by.options;
  // The texts of the lines, and their translations.
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
  // The output and the warnings for each line.
  DoneLines out;
  out.lines.reserve(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t number = done + i + 1;
    const Translation& translation = translations[i];
    out.lines.push_back(LineOf(options, lines[i], number, translation));
    if (translation.truncated) out.warnings += WarningOfCut(number, by.model.config().max_positions, "translated");
    out.warnings += WarningOfEnd(number, translation.cut);
    if (options.confidence && translation.foreign) {
      out.warnings += "qkv: line " + std::to_string(number) + " does not look like the language that the model reads\n";
    }
  }
  return out;
}

}  // namespace qkv::cli
