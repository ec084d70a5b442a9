#include "core/translate/generation_config.h"

#include <algorithm>

#include "core/base/json.h"

namespace qkv {
namespace {

// Options of other engines that would change a translation are refused unless they change nothing.
Result<void> RefuseUnknownRequests(const JsonObject& json, const SequenceConfig& model) {
  struct Request {
    const char* field;
    double neutral;
  };
  constexpr Request kRequests[] = {{"no_repeat_ngram_size", 0}, {"encoder_no_repeat_ngram_size", 0},
                                   {"repetition_penalty", 1},   {"num_beam_groups", 1},
                                   {"min_length", 0},           {"diversity_penalty", 0}};
  for (const Request& request : kRequests) {
    QKV_TRY(const double value, json.Number(request.field, request.neutral));
    if (value != request.neutral) return json.Unsupported(request.field, "this engine decodes without it");
  }
  for (const char* field : {"do_sample", "early_stopping"}) {
    QKV_TRY(const bool value, json.Bool(field, false));
    if (value) return json.Unsupported(field, "this engine decodes without it");
  }
  QKV_TRY(const int64_t forced, json.Integer("forced_eos_token_id", 0, INT32_MAX, model.end));
  if (forced != model.end) return json.Unsupported("forced_eos_token_id", "must be eos_token_id");
  return {};
}

// Pieces that are never written. Without a list that is <pad>, which MarianMT starts with.
Result<std::vector<int32_t>> ParseBanned(const JsonObject& json, const SequenceConfig& model) {
  std::vector<int32_t> banned;
  const Json* words = json.Find("bad_words_ids");
  if (words == nullptr) return std::vector<int32_t>{model.pad};
  if (!words->IsArray()) return json.Invalid("bad_words_ids", "must be a list of lists of ids");
  for (const Json& word : words->GetArray()) {
    if (!word.IsArray() || word.Empty() || !word[0].IsInt()) {
      return json.Invalid("bad_words_ids", "must be a list of lists of ids");
    }
    if (word.Size() != 1) return json.Unsupported("bad_words_ids", "only words of one piece can be banned");
    const int id = word[0].GetInt();
    if (id < 0 || static_cast<size_t>(id) >= model.vocabulary || id == model.end) {
      return json.Invalid("bad_words_ids", "id " + std::to_string(id) + " cannot be banned");
    }
    banned.push_back(id);
  }
  return banned;
}

// The heads of cross attention that align best; the mean of these is the alignment.
Result<std::vector<std::pair<size_t, size_t>>> ParseAlignmentHeads(const JsonObject& json,
                                                                   const SequenceConfig& model) {
  std::vector<std::pair<size_t, size_t>> heads;
  const Json* list = json.Find("alignment_heads");
  if (list == nullptr) return heads;
  if (!list->IsArray()) return json.Invalid("alignment_heads", "must be a list of [layer, head]");
  for (const Json& pair : list->GetArray()) {
    if (!pair.IsArray() || pair.Size() != 2 || !pair[0].IsUint() || !pair[1].IsUint() ||
        pair[0].GetUint() >= model.cross.layers || pair[1].GetUint() >= model.cross.heads) {
      return json.Invalid("alignment_heads", "must be a list of [layer, head] of the cross attention");
    }
    heads.emplace_back(pair[0].GetUint(), pair[1].GetUint());
  }
  return heads;
}

}  // namespace

Result<GenerationConfig> ParseGenerationConfig(std::string_view text, const SequenceConfig& model) {
  QKV_TRY(const JsonObject json,
          JsonObject::Parse(text.empty() ? "{}" : text, "generation_config.json", kLargestConfig));
  QKV_CHECK(RefuseUnknownRequests(json, model));
  GenerationConfig config;
  // The defaults are those of a search for one hypothesis without a penalty.
  QKV_TRY(const int64_t beam, json.Integer("num_beams", 1, kLargestBeam, 1));
  QKV_TRY(const int64_t length, json.Integer("max_length", 1, INT32_MAX, static_cast<int64_t>(model.max_positions)));
  QKV_TRY(const double penalty, json.Number("length_penalty", 1));
  config.beam = static_cast<size_t>(beam);
  config.max_length = std::min(static_cast<size_t>(length), model.max_positions);
  config.length_penalty = static_cast<float>(penalty);
  QKV_TRY(config.banned, ParseBanned(json, model));
  QKV_TRY(config.alignment_heads, ParseAlignmentHeads(json, model));
  return config;
}

}  // namespace qkv
