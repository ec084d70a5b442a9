// The language detector: embeddings of a text's n-grams, pooled by attention, then a linear layer to the languages.
//   e_i = E[row_i],   c = AttentionPool(Q, e),   p = softmax(W c + b)
// Row 0 is read with every text. It takes the attention that no n-gram gets, so the model is surer of texts with more
// n-grams.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/attention/segments.h"
#include "core/detect/attention_pool.h"
#include "core/detect/gram_list.h"
#include "core/io/model_files.h"
#include "core/layers/linear.h"
#include "core/layers/weight_slots.h"

namespace qkv {

inline constexpr const char* kLanguageModelType = "qkv-language";

struct LanguageConfig {
  size_t columns = 16;                 // of an embedding
  size_t heads = 4;                    // queries
  std::vector<std::string> languages;  // BCP 47 tags
};

class LanguageModel {
 public:
  // From config.json and ngrams.txt. The weights are filled into Slots(). Errors: kInvalidFile, kUnsupported.
  static Result<std::unique_ptr<LanguageModel>> Create(const SmallFiles& files);

  const LanguageConfig& config() const { return config_; }
  const GramList& grams() const { return grams_; }
  WeightSlots Slots();

  // rows of the embedding, each segment a text -> [texts, heads * columns]. `weights` as of AttentionPool.
  MatrixView Pool(Context& ctx, std::span<const int32_t> rows, const Segments& texts, float* weights = nullptr) const;
  // [texts, heads * columns] -> [texts, languages]
  MatrixView Logits(Context& ctx, ConstMatrixView pooled) const { return Forward(ctx, output_, pooled); }

 private:
  LanguageModel(LanguageConfig config, GramList grams) : config_(std::move(config)), grams_(std::move(grams)) {}

  LanguageConfig config_;
  GramList grams_;
  Weight embedding_;  // [rows, columns]
  Weight queries_;    // [heads, columns]
  Linear output_;     // [languages, heads * columns]
};

// Reads the model folder that `qkv train` wrote: config.json, ngrams.txt, model.safetensors. Errors: those of the
// files.
Result<std::unique_ptr<LanguageModel>> LoadLanguageModel(const std::string& folder);

struct LanguageGuess {
  size_t language;  // of the config's
  double confidence;
};

// All languages with their probabilities, the likeliest first; empty for a text without letters.
std::vector<LanguageGuess> DetectLanguage(const LanguageModel& model, Context& ctx, std::string_view text);

}  // namespace qkv
