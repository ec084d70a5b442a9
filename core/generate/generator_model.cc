#include "core/generate/generator_model.h"

#include <utility>

#include "core/base/json.h"

namespace qkv {
namespace {

Result<SamplingOptions> ParseSampling(std::string_view text) {
  QKV_TRY(const JsonObject json,
          JsonObject::Parse(text.empty() ? "{}" : text, "generation_config.json", kLargestConfig));
  // Fields that would change the text and are not supported must have their neutral value.
  constexpr std::pair<const char*, double> kNeutral[] = {{"num_beams", 1},  {"no_repeat_ngram_size", 0},
                                                         {"typical_p", 1},  {"epsilon_cutoff", 0},
                                                         {"eta_cutoff", 0}, {"min_length", 0}};
  for (const auto& [field, neutral] : kNeutral) {
    QKV_TRY(const double value, json.Number(field, neutral));
    if (value != neutral) return json.Unsupported(field, "this engine decodes without it");
  }
  // Those that are supported, with the defaults of Hugging Face's `generate`.
  SamplingOptions options;
  QKV_TRY(const bool samples, json.Bool("do_sample", false));
  QKV_TRY(const double temperature, json.Number("temperature", 1));
  QKV_TRY(const int64_t top_k, json.Integer("top_k", 0, INT32_MAX, 50));
  QKV_TRY(const double top_p, json.Number("top_p", 1));
  QKV_TRY(const double penalty, json.Number("repetition_penalty", 1));
  if (temperature < 0 || top_p <= 0 || top_p > 1 || penalty <= 0) {
    return json.Invalid("temperature", "temperature, top_p or repetition_penalty is out of its range");
  }
  options.temperature = samples ? static_cast<float>(temperature) : 0;
  options.top_k = static_cast<size_t>(top_k);
  options.top_p = static_cast<float>(top_p);
  options.repetition_penalty = static_cast<float>(penalty);
  return options;
}

}  // namespace

Result<std::unique_ptr<GeneratorModel>> GeneratorModel::Create(const SmallFiles& files) {
  QKV_TRY(const Gpt2Config config, ParseGpt2Config(ContentOf(files, "config.json")));
  QKV_TRY(const SamplingOptions sampling, ParseSampling(ContentOf(files, "generation_config.json")));
  QKV_TRY(Tokenizer tokenizer, ReadTokenizer(files, false));
  QKV_CHECK(tokenizer.CheckFits(config.vocabulary, config.positions));
  std::unique_ptr<GeneratorModel> model(new GeneratorModel(config, std::move(tokenizer)));
  model->sampling_ = sampling;
  return model;
}

}  // namespace qkv
