#include "core/cli/records.h"

#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cstdio>

#include "core/base/json.h"
#include "core/cli/command.h"

namespace qkv::cli {
namespace {

constexpr const char *kTranslation = "translation", *kTranslations = "translations";

std::string OnOneLine(std::string_view text, bool tabs) {
  std::string line(text);
  for (char& c : line) {
    if (c == '\n' || (!tabs && c == '\t')) c = ' ';
  }
  return line;
}

[[noreturn]] void FailAt(size_t number, const std::string& what) {
  Fail("line " + std::to_string(number) + " of the input " + what);
}

std::string ColumnOf(const std::string& line, size_t column, size_t number) {
  size_t begin = 0;
  for (size_t at = 1; at < column && begin != std::string::npos; ++at) {
    const size_t tab = line.find('\t', begin);
    begin = tab == std::string::npos ? tab : tab + 1;
  }
  if (begin == std::string::npos) FailAt(number, "has no column " + std::to_string(column));
  std::string text = line.substr(begin, line.find('\t', begin) - begin);
  if (text.ends_with('\r')) text.pop_back();  // of a line that ends as on Windows
  return text;
}

// A JSON value whose numbers are read as null: a number is no text, and its digits do not matter.
class Fields : public rapidjson::Document {
 public:
  bool RawNumber(const Ch*, rapidjson::SizeType, bool) { return Null(); }
};

std::string FieldOf(const RecordFormat& format, const std::string& line, size_t number) {
  // Nesting takes memory, not stack.
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  rapidjson::Reader reader;
  rapidjson::MemoryStream stream(line.data(), line.size());
  Fields object;
  const auto parse = [&](rapidjson::Document& to) {
    return !reader.Parse<kFlags>(stream, static_cast<Fields&>(to)).IsError();
  };
  object.Populate(parse);
  if (reader.HasParseError())
    FailAt(number, std::string("is no JSON: ") + GetParseError_En(reader.GetParseErrorCode()));
  if (!object.IsObject()) FailAt(number, "is no JSON object");
  for (const char* name : {kTranslation, kTranslations, format.figure}) {
    if (name != nullptr && object.HasMember(name)) FailAt(number, std::string("has a field \"") + name + "\" already");
  }
  const auto found = object.FindMember(format.field.c_str());
  if (found == object.MemberEnd() || !found->value.IsString()) FailAt(number, "has no text \"" + format.field + "\"");
  return {found->value.GetString(), found->value.GetStringLength()};
}

std::string JsonQuoted(std::string_view text) {
  rapidjson::StringBuffer value;
  rapidjson::Writer<rapidjson::StringBuffer> writer(value);
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  return value.GetString();
}

std::string Number(float x) {
  char number[32];
  std::snprintf(number, sizeof number, "%.4f", static_cast<double>(x));
  return number;
}

// The JSON object of `line` with further members before its closing brace.
std::string WithMembers(const std::string& line, const std::string& members) {
  const size_t brace = line.rfind('}');
  return line.substr(0, brace) + ", " + members + line.substr(brace);
}

std::string Member(const char* name, const std::string& value) { return "\"" + std::string(name) + "\": " + value; }

}  // namespace

std::string TextOf(const RecordFormat& format, const std::string& line, size_t number) {
  if (format.column > 0) return ColumnOf(line, format.column, number);
  return format.field.empty() ? line : OnOneLine(FieldOf(format, line, number), true);
}

std::string WithTranslation(const RecordFormat& format, const std::string& line, std::string_view translation,
                            float number) {
  if (!format.field.empty()) {
    std::string members = Member(kTranslation, JsonQuoted(translation));
    if (format.figure != nullptr) members += ", " + Member(format.figure, Number(number));
    return WithMembers(line, members);
  }
  const std::string out = format.figure != nullptr ? Number(number) + "\t" : "";
  if (format.column == 0) return out + OnOneLine(translation, true);
  const bool windows = line.ends_with('\r');
  return out + line.substr(0, line.size() - windows) + '\t' + OnOneLine(translation, false) + (windows ? "\r" : "");
}

std::string WithTranslations(const RecordFormat& format, const std::string& line, size_t number,
                             std::span<const ScoredLine> translations) {
  std::string out;
  for (const ScoredLine& one : translations) {
    if (!out.empty()) out += format.field.empty() ? "\n" : ", ";
    if (format.field.empty()) {
      out += std::to_string(number) + "\t" + Number(one.score) + "\t" + OnOneLine(one.text, true);
    } else {
      out += "{" + Member("text", JsonQuoted(one.text)) + ", " + Member("score", Number(one.score)) + "}";
    }
  }
  return format.field.empty() ? out : WithMembers(line, Member(kTranslations, "[" + out + "]"));
}

}  // namespace qkv::cli
