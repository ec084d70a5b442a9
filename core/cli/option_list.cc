// qkv options: lists the options of translation and generation.
#include "core/cli/option_list.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cassert>

#include "core/base/json.h"

namespace qkv::cli {
namespace {

using Kind = ListedOption::Kind;
using In = ListedOption::In;

constexpr double kMostPieces = 100000, kLargestSeed = 9007199254740991;  // 2^53 - 1: exact in JavaScript

constexpr ListedOption kOptions[] = {
    {"translate", "beam", Kind::kWhole, 1, kLargestBeam, "the model's own",
     "hypotheses that the search keeps; 1 is greedy search", In::kBoth},
    {"translate", "nBest", Kind::kWhole, 1, kLargestBeam, "beam",
     "hypotheses to return, at most beam; the command prints LINE<TAB>SCORE<TAB>TRANSLATION for each, best first",
     In::kBoth},
    {"translate", "maxLength", Kind::kWhole, 1, kMostPieces, "3 x source + 50",
     "the most pieces of a translation, within the model's positions", In::kBoth},
    {"translate", "prefix", Kind::kText, 0, 0, "none", "what the translation begins with", In::kJavaScript},
    {"translate", "shortlist", Kind::kFlag, 0, 0, "true",
     "use only the pieces that the model's shortlist finds likely, if it has one", In::kBoth},
    {"translate", "copy", Kind::kFlag, 0, 0, "true",
     "carry numbers, addresses, file names and words outside the vocabulary through unchanged", In::kBoth},
    {"translate", "keep", Kind::kText, 0, 0, "none", "a term that is not translated; may be given several times",
     In::kBoth},
    {"translate", "glossary", Kind::kText, 0, 0, "none",
     "terms with their translations; for the command a file of TERM<TAB>TRANSLATION lines", In::kBoth},
    {"translate", "numbers", Kind::kText, 0, 0, "keep", "whether numbers are written as in the target language",
     In::kJavaScript},
    {"translate", "vectors", Kind::kFlag, 0, 0, "false", "add each head's queries, keys and values to a trace",
     In::kBoth},
    {"translate", "interventions", Kind::kText, 0, 0, "none",
     "changes to attention, to feed-forward blocks and to layers; for the command a JSON file with their list",
     In::kBoth},
    {"translate", "confidence", Kind::kFlag, 0, 0, "false",
     "print before each line how reliable it is, from 0 to 1, and a tab; report lines in another language",
     In::kCommand},
    {"translate", "scores", Kind::kFlag, 0, 0, "false",
     "print before each translation its score and a tab: its log-probability divided by a power of its length",
     In::kCommand},
    {"generate", "maxLength", Kind::kWhole, 1, kMostPieces, "64",
     "the most pieces to write; a prompt is kept whole and may leave fewer", In::kBoth},
    {"generate", "temperature", Kind::kNumber, 0, 100, "the model's own",
     "divides the logits; 0 always takes the likeliest piece", In::kBoth},
    {"generate", "topK", Kind::kWhole, 0, 1e9, "the model's own", "draw from this many of the likeliest pieces; 0: all",
     In::kBoth},
    {"generate", "topP", Kind::kNumber, 1e-9, 1, "the model's own",
     "draw from the fewest pieces whose probabilities reach this sum", In::kBoth},
    {"generate", "repetitionPenalty", Kind::kNumber, 0.01, 100, "the model's own",
     "above 1, pieces that occurred already are less likely", In::kBoth},
    {"generate", "seed", Kind::kWhole, 0, kLargestSeed, "0", "the same seed draws the same pieces", In::kBoth},
    {"generate", "stop", Kind::kText, 0, 0, "none", "the text ends before the first of these strings", In::kBoth},
    {"generate", "promptLookup", Kind::kFlag, 0, 0, "true",
     "draft pieces from repetitions in the text, which takes less time and gives the same text", In::kBoth},
    {"generate", "interventions", Kind::kText, 0, 0, "none",
     "changes to attention, to feed-forward blocks and to layers; for the command a JSON file with their list",
     In::kBoth},
    {"generate", "alternatives", Kind::kWhole, 0, 1000, "0", "return this many of the likeliest pieces at each step",
     In::kJavaScript},
};

const char* NameOf(Kind kind) {
  constexpr const char* kNames[] = {"whole", "number", "flag", "text"};
  return kNames[static_cast<size_t>(kind)];
}

// An array with an object for each option. The tests compare it with the command, the types and the documents.
void PrintOptionsAsJson() {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  json.StartArray();
  for (const ListedOption& option : kOptions) {
    json.StartObject();
    // The call of the option, and its name in JavaScript.
    const auto text = [&](const char* key, const char* value) {
      json.Key(key);
      json.String(value);
    };
    text("call", option.call);
    text("name", option.name);
    text("kind", NameOf(option.kind));
    // Its range, if it is a number; then its default and what it does.
    if (option.kind == Kind::kWhole || option.kind == Kind::kNumber) {
      json.Key("least");
      json.Double(option.least);
      json.Key("most");
      json.Double(option.most);
    }
    text("absent", option.absent);
    text("meaning", option.meaning);
    // Where it exists: in the command, in JavaScript or in both.
    if (option.in != In::kJavaScript) text("command", FlagOf(option).c_str());
    json.Key("javascript");
    json.Bool(option.in != In::kCommand);
    json.EndObject();
  }
  json.EndArray();
  std::puts(buffer.GetString());
}

// The same for people, one line an option.
void PrintOptionsAsTable() {
  for (const ListedOption& option : kOptions) {
    std::string range;
    if (option.kind == Kind::kWhole || option.kind == Kind::kNumber) {
      char text[64];
      std::snprintf(text, sizeof text, "%.16g to %.16g, ", option.least, option.most);
      range = text;
    }
    std::printf("%-10s %-18s %s: %s [%s%s]\n", option.call, option.name,
                option.in == In::kJavaScript ? "only in JavaScript" : FlagOf(option).c_str(), option.meaning,
                range.c_str(), option.absent);
  }
}

}  // namespace

const ListedOption& FindOption(std::string_view call, std::string_view name) {
  for (const ListedOption& option : kOptions) {
    if (call == option.call && name == option.name) return option;
  }
  assert(false);
  return kOptions[0];
}

std::string FlagOf(const ListedOption& option) {
  const bool negative = option.kind == Kind::kFlag && std::string_view(option.absent) == "true";
  std::string flag = negative ? "--no-" : "--";
  // maxLength becomes --max-length.
  for (const char* c = option.name; *c != '\0'; ++c) {
    const bool capital = *c >= 'A' && *c <= 'Z';
    if (capital) flag += '-';
    flag += capital ? static_cast<char>(*c - 'A' + 'a') : *c;
  }
  return flag;
}

std::string HelpOf(const ListedOption& option) {
  if (option.kind == Kind::kFlag) {
    return std::string(FlagOf(option).starts_with("--no-") ? "do not " : "") + option.meaning;
  }
  return std::string(option.meaning) + " [" + option.absent + "]";
}

void AddOptions(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("options", "List the options of translation and generation with their ranges");
  command->add_flag("--json", *json, "the same as JSON");
  command->callback([json] { *json ? PrintOptionsAsJson() : PrintOptionsAsTable(); });
}

}  // namespace qkv::cli
