#include "core/cli/trace_json.h"

#include <charconv>

#include "core/cli/json_writer.h"

namespace qkv::cli {
namespace {

// The shortest digits that read back as the same float.
void Number(Writer& json, float value) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  if (error != std::errc() || value - value != 0) return void(json.Null());  // JSON has no infinity and no NaN
  json.RawValue(digits, static_cast<size_t>(end - digits), rapidjson::kNumberType);
}

void Floats(Writer& json, const char* key, const std::vector<float>& values) {
  Array(json, key, values, [&](float value) { Number(json, value); });
}

void Sizes(Writer& json, const char* key, const std::vector<size_t>& values) {
  Array(json, key, values, [&](size_t value) { json.Uint64(value); });
}

void Map(Writer& json, const char* key, const AttentionMap& map) {
  json.Key(key);
  json.StartObject();
  Sizes(json, "shape", {map.layers, map.heads, map.targets, map.sources});
  Floats(json, "data", map.weights);
  if (map.dim > 0) {
    json.Key("vectors");
    json.StartObject();
    json.Key("dim");
    json.Uint64(map.dim);
    Floats(json, "queries", map.queries);
    Floats(json, "keys", map.keys);
    Floats(json, "values", map.values);
    json.EndObject();
  }
  json.EndObject();
}

void OneSide(Writer& json, const char* key, const TranslationModel& model, const ReplaySide& side, Side which,
             const std::vector<float>* log_probs) {
  json.Key(key);
  json.StartObject();
  json.Key("text");
  String(json, side.text);
  Array(json, "pieces", side.tokens.ids, [&](int32_t id) { String(json, model.PieceText(id, which)); });
  Array(json, "ids", side.tokens.ids, [&](int32_t id) { json.Int(id); });
  Sizes(json, "begin", side.tokens.begin);
  Sizes(json, "end", side.tokens.end);
  if (log_probs != nullptr) Floats(json, "logProbs", *log_probs);
  json.EndObject();
}

void TargetInput(Writer& json, const TranslationModel& model, const std::vector<int32_t>& ids) {
  json.Key("targetInput");
  json.StartArray();
  String(json, model.PieceText(model.config().start));
  for (size_t i = 0; i + 1 < ids.size(); ++i) String(json, model.PieceText(ids[i]));
  json.EndArray();
}

void Alternatives(Writer& json, const TranslationModel& model, const Replay& replay) {
  const std::vector<Alternative>& all = replay.alternatives;
  json.Key("alternatives");
  json.StartObject();
  json.Key("count");
  json.Uint64(all.size() / replay.log_probs.size());
  Array(json, "pieces", all, [&](const Alternative& a) { String(json, model.PieceText(a.id)); });
  Array(json, "ids", all, [&](const Alternative& a) { json.Int(a.id); });
  Array(json, "logProbs", all, [&](const Alternative& a) { Number(json, a.log_prob); });
  json.EndObject();
}

void Alignment(Writer& json, const TranslationModel& model, const Replay& replay) {
  json.Key("alignment");
  json.StartObject();
  Sizes(json, "shape", {replay.alignment.targets, replay.alignment.sources});
  Floats(json, "data", replay.alignment.weights);
  Array(json, "heads", replay.alignment_heads, [&](const std::pair<size_t, size_t>& head) {
    json.StartArray();
    json.Uint64(head.first);
    json.Uint64(head.second);
    json.EndArray();
  });
  json.Key("ranked");
  json.Bool(!model.generation().alignment_heads.empty());
  json.EndObject();
}

}  // namespace

std::string TraceJson(const TranslationModel& model, const Replay& replay, std::string_view interventions) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  // Format and texts.
  json.Key("format");
  String(json, "qkv-trace/1");
  json.Key("spans");
  String(json, "utf-8");
  OneSide(json, "source", model, replay.source, Side::kSource, nullptr);
  OneSide(json, "target", model, replay.target, Side::kTarget, &replay.log_probs);
  TargetInput(json, model, replay.target.tokens.ids);
  // The facts about the translation.
  json.Key("score");
  Number(json, replay.log_prob);
  json.Key("sourceTruncated");
  json.Bool(replay.source.tokens.truncated);
  json.Key("targetTruncated");
  json.Bool(replay.target.tokens.truncated);
  json.Key("cut");
  if (const char* name = NameOf(replay.cut)) {
    String(json, name);
  } else {
    json.Bool(false);
  }
  json.Key("confidence");
  Number(json, replay.confidence);
  Array(json, "warnings", Warnings(replay.copied, replay.source.tokens.truncated, replay.cut, replay.foreign),
        [&](const char* name) { String(json, name); });
  Array(json, "copied", replay.copied, [&](const CopiedSpan& span) {
    json.StartObject();
    Sizes(json, "source", {span.source_begin, span.source_end});
    Sizes(json, "target", {span.target_begin, span.target_end});
    json.EndObject();
  });
  // The interventions of the pass, as they were given.
  if (!interventions.empty()) {
    rapidjson::Document changes;
    changes.Parse<rapidjson::kParseIterativeFlag>(interventions.data(), interventions.size());
    json.Key("interventions");
    changes.Accept(json);
  }
  // All weights.
  Map(json, "encoderSelf", replay.encoder_self);
  Map(json, "decoderSelf", replay.decoder_self);
  if (replay.gates.layers != 0) Map(json, "gates", replay.gates);
  Map(json, "cross", replay.cross);
  if (!replay.centres.empty()) {
    json.Key("window");
    json.StartObject();
    Floats(json, "centres", replay.centres);
    json.Key("halfWidth");
    Number(json, static_cast<float>(model.config().half_width));
    json.EndObject();
  }
  Alignment(json, model, replay);
  Alternatives(json, model, replay);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace qkv::cli
