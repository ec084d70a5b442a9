#include "core/detect/language_model.h"

#include <algorithm>
#include <numeric>

#include "core/base/exponential.h"
#include "core/base/json.h"
#include "core/layers/embedding.h"

namespace qkv {
namespace {

constexpr size_t kMostColumns = 1024, kMostHeads = 64, kMostLanguages = 1000;

Result<size_t> ReadCount(const JsonObject& json, const char* field, size_t most) {
  QKV_TRY(const int64_t value, json.Integer(field, 1, static_cast<int64_t>(most)));
  return static_cast<size_t>(value);
}

// The fields of config.json, each with its range.
Result<LanguageConfig> ParseConfig(std::string_view text) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "config.json", kLargestConfig));
  QKV_TRY(const std::string_view type, json.String("model_type", ""));
  if (type != kLanguageModelType) return json.Unsupported("model_type", "is not that of a language detector");
  LanguageConfig config;
  QKV_TRY(config.columns, ReadCount(json, "columns", kMostColumns));
  QKV_TRY(config.heads, ReadCount(json, "heads", kMostHeads));
  const Json* const languages = json.Find("languages");
  if (languages != nullptr && languages->IsArray()) {
    for (const Json& one : languages->GetArray()) config.languages.emplace_back(one.IsString() ? one.GetString() : "");
  }
  const auto& tags = config.languages;
  if (tags.empty() || tags.size() > kMostLanguages || std::find(tags.begin(), tags.end(), "") != tags.end()) {
    return json.Invalid("languages", "must be a list of 1 to 1,000 tags");
  }
  return config;
}

}  // namespace

Result<std::unique_ptr<LanguageModel>> LanguageModel::Create(const SmallFiles& files) {
  QKV_TRY(LanguageConfig config, ParseConfig(ContentOf(files, "config.json")));
  QKV_TRY(GramList grams, GramList::Parse(ContentOf(files, "ngrams.txt")));
  return std::unique_ptr<LanguageModel>(new LanguageModel(std::move(config), std::move(grams)));
}

// A row for each n-gram, a query for each head, and a score for each language from what the heads have pooled.
WeightSlots LanguageModel::Slots() {
  WeightSlots slots;
  const size_t pooled = config_.heads * config_.columns;
  slots.Add("embedding.weight", embedding_, grams_.rows(), config_.columns);
  slots.slots.back().start = Start::kEmbedding;
  slots.Add("queries.weight", queries_, config_.heads, config_.columns);
  slots.Add("output.weight", output_.weight, config_.languages.size(), pooled);
  slots.Add("output.bias", output_.bias, config_.languages.size());
  return slots;
}

MatrixView LanguageModel::Pool(Context& ctx, std::span<const int32_t> rows, const Segments& texts,
                               float* weights) const {
  // Head h attends by query h to the n-grams of a text, [heads * columns] in all.
  std::vector<int32_t> heads(config_.heads);
  std::iota(heads.begin(), heads.end(), 0);
  const MatrixView queries = EmbedRows(ctx, queries_, heads);
  const MatrixView x = EmbedRows(ctx, embedding_, rows);
  return AttentionPool(ctx, View(queries), View(x), texts, weights);
}

std::vector<LanguageGuess> DetectLanguage(const LanguageModel& model, Context& ctx, std::string_view text) {
  // A text without letters is in no language.
  const std::vector<Letter> letters = ReadLetters(text);
  if (letters.empty()) return {};
  const ArenaScope scope(ctx.arena);
  std::vector<int32_t> rows;
  for (const GramRow& each : GramRowsOf(model.grams(), letters)) rows.push_back(each.row);
  const MatrixView logits = model.Logits(ctx, View(model.Pool(ctx, rows, Segments::One(rows.size()))));
  // Softmax in double precision, then the likeliest language first.
  const float most = logits.maxCoeff();
  std::vector<LanguageGuess> guesses;
  double sum = 0;
  for (Eigen::Index i = 0; i < logits.cols(); ++i) {
    guesses.push_back({static_cast<size_t>(i), Exponential(logits(0, i) - most)});
    sum += guesses.back().confidence;
  }
  for (LanguageGuess& guess : guesses) guess.confidence /= sum;
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const LanguageGuess& a, const LanguageGuess& b) { return a.confidence > b.confidence; });
  return guesses;
}

}  // namespace qkv
