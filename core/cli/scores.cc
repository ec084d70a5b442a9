// qkv scores: lists the attention family.

#include <algorithm>
#include <string>

#include "core/attention/attend.h"
#include "core/cli/command.h"
#include "core/cli/json_writer.h"

namespace qkv::cli {
namespace {

std::string_view SizeName(ParameterSize size) { return kParameterSizeNames[static_cast<int>(size)]; }

void Parameter(Writer& json, const ParameterSpec& spec) {
  json.StartObject();
  json.Key("name");
  String(json, spec.name);
  json.Key("shape");
  json.StartArray();
  String(json, SizeName(spec.rows));
  String(json, SizeName(spec.columns));
  json.EndArray();
  json.Key("optional");
  json.Bool(spec.optional);
  json.EndObject();
}

void ScoreObject(Writer& json, const Score& score) {
  json.StartObject();
  json.Key("name");
  String(json, score.name);
  json.Key("equation");
  String(json, score.equation);
  json.Key("source");
  String(json, score.source);
  json.Key("sameDims");
  json.Bool(score.same_dims);
  json.Key("parameters");
  json.StartArray();
  for (const ParameterSpec& spec : score.parameters) Parameter(json, spec);
  json.EndArray();
  json.EndObject();
}

template <class Names>
void List(Writer& json, const char* key, const Names& names) {
  Array(json, key, names, [&](std::string_view name) { String(json, name); });
}

void PrintScoresAsJson() {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  json.Key("scores");
  json.StartArray();
  for (const Score* score : Scores()) ScoreObject(json, *score);
  json.EndArray();
  List(json, "selections", kSelectionNames);
  List(json, "windows", kWindowNames);
  json.EndObject();
  std::printf("%s\n", buffer.GetString());
}

// "W_q [hidden, queryDim], ..."; optional parameters are in parentheses.
std::string Parameters(const Score& score) {
  std::string all;
  for (const ParameterSpec& spec : score.parameters) {
    std::string one(spec.name);
    one.append(" [").append(SizeName(spec.rows)).append(", ").append(SizeName(spec.columns)).append("]");
    if (!all.empty()) all += ", ";
    all += spec.optional ? "(" + one + ")" : one;
  }
  return all;
}

template <class Names>
void PrintNames(const char* what, const Names& names) {
  std::printf("%s", what);
  for (const std::string_view name : names) std::printf("  %s", std::string(name).c_str());
  std::printf("\n");
}

void PrintScoresAsTable() {
  size_t name = 0, equation = 0, source = 0;
  for (const Score* score : Scores()) {
    name = std::max(name, score->name.size());
    equation = std::max(equation, score->equation.size());
    source = std::max(source, score->source.size());
  }
  for (const Score* score : Scores()) {
    std::string line(score->name);
    line.append(name + 2 - line.size(), ' ').append(score->equation);
    line.append(name + equation + 4 - line.size(), ' ').append(score->source);
    if (const std::string parameters = Parameters(*score); !parameters.empty()) {
      line.append(name + equation + source + 6 - line.size(), ' ').append(parameters);
    }
    std::printf("%s\n", line.c_str());
  }
  std::printf("\n");
  PrintNames("selections", kSelectionNames);
  PrintNames("windows   ", kWindowNames);
}

}  // namespace

void AddScores(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand(
      "scores", "List the attention family: scores with their equations, papers and parameters; selections; windows");
  command->add_flag("--json", *json, "the same as one JSON object");
  command->callback([json] { *json ? PrintScoresAsJson() : PrintScoresAsTable(); });
}

}  // namespace qkv::cli
