#include "core/train/run_place.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "core/base/json.h"

namespace qkv {
namespace {

Result<std::vector<uint64_t>> List(const JsonObject& json, const char* field) {
  const Json* list = json.Find(field);
  if (list == nullptr || !list->IsArray()) return json.Invalid(field, "must be a list");
  std::vector<uint64_t> values;
  for (const Json& value : list->GetArray()) {
    if (!value.IsUint64()) return json.Invalid(field, "must be a list of whole numbers");
    values.push_back(value.GetUint64());
  }
  return values;
}

}  // namespace

std::string ToJson(const RunPlace& p) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  const auto number = [&](const char* name, uint64_t value) {
    json.Key(name);
    json.Uint64(value);
  };
  const auto real = [&](const char* name, double value) {
    json.Key(name);
    json.Double(value);
  };
  // The progress of the run.
  json.StartObject();
  number("step", p.step);
  number("averaged", p.averaged);
  real("seconds", p.seconds);
  number("tokens", p.tokens);
  real("best", p.best);
  number("best_step", p.best_step);
  number("measured_since", p.measured_since);
  // The position of its batches: what was drawn and used, and the place in each file.
  number("fingerprint", p.batches.fingerprint);
  number("drawn", p.batches.drawn);
  number("used", p.batches.used);
  number("taken", p.batches.taken);
  json.Key("places");
  json.StartArray();
  for (const CorpusPlace& place : p.batches.places) {
    for (const uint64_t value : {place.lines, place.source_offset, place.target_offset}) json.Uint64(value);
  }
  json.EndArray();
  json.Key("given");
  json.StartArray();
  for (const uint64_t value : p.batches.given) json.Uint64(value);
  json.EndArray();
  json.EndObject();
  return buffer.GetString();
}

Result<RunPlace> ParseRunPlace(std::string_view text) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "progress.json"));
  RunPlace p;
  // Whole numbers.
  struct Number {
    const char* name;
    uint64_t* to;
  };
  const Number numbers[] = {{"step", &p.step},
                            {"averaged", &p.averaged},
                            {"tokens", &p.tokens},
                            {"best_step", &p.best_step},
                            {"measured_since", &p.measured_since},
                            {"fingerprint", &p.batches.fingerprint},
                            {"drawn", &p.batches.drawn},
                            {"used", &p.batches.used},
                            {"taken", &p.batches.taken}};
  for (const Number& number : numbers) {
    const Json* value = json.Find(number.name);
    if (value == nullptr || !value->IsUint64()) return json.Invalid(number.name, "must be a whole number");
    *number.to = value->GetUint64();
  }
  // Fields that older files lack.
  QKV_TRY(p.seconds, json.Number("seconds", 0));
  QKV_TRY(p.best, json.Number("best", 0));
  QKV_TRY(const std::vector<uint64_t> places, List(json, "places"));
  for (size_t i = 0; i + 3 <= places.size(); i += 3) {
    p.batches.places.push_back({places[i], places[i + 1], places[i + 2]});
  }
  QKV_TRY(p.batches.given, List(json, "given"));
  return p;
}

}  // namespace qkv
