#include "core/io/marian_vocabulary.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/text/unicode.h"

namespace qkv {
namespace {

constexpr uint32_t kMostRows = 1 << 22;

// The characters that stand for another one after a backslash, and those others.
constexpr std::string_view kEscapes = "0abtnvfre\"/\\ ", kMeanings("\0\a\b\t\n\v\f\r\x1b\"/\\ ", 13);
constexpr std::pair<char, size_t> kCodes[] = {{'x', 2}, {'u', 4}, {'U', 8}};

// Takes a key in quotes from the beginning of the line. Returns false if there is none.
bool TakeDoubleQuoted(std::string_view& line, std::string& key) {
  for (size_t i = 1; i < line.size(); ++i) {
    // The end of the key, or a character of it.
    if (line[i] == '"') {
      line.remove_prefix(i + 1);
      return true;
    }
    if (line[i] != '\\') {
      key += line[i];
      continue;
    }
    // An escape of one character, such as \n.
    if (++i == line.size()) return false;
    const size_t simple = kEscapes.find(line[i]);
    if (simple != std::string_view::npos) {
      key += kMeanings[simple];
      continue;
    }
    // An escape with 2, 4 or 8 hexadecimal digits.
    const auto* const code =
        std::find_if(std::begin(kCodes), std::end(kCodes), [&](const auto& each) { return each.first == line[i]; });
    if (code == std::end(kCodes) || line.size() - i <= code->second) return false;
    uint32_t point = 0;
    const char* const digits = line.data() + i + 1;
    const auto [end, error] = std::from_chars(digits, digits + code->second, point, 16);
    if (error != std::errc() || end != digits + code->second || point > 0x10ffff) return false;
    AppendUtf8(point, key);
    i += code->second;
  }
  return false;
}

bool TakeSingleQuoted(std::string_view& line, std::string& key) {
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\'' && (i + 1 == line.size() || line[i + 1] != '\'')) {
      line.remove_prefix(i + 1);
      return true;
    }
    if (line[i] == '\'') ++i;
    key += line[i];
  }
  return false;
}

// A key without quotes ends at the last colon of the line, because the row contains no colon.
bool TakePlain(std::string_view& line, std::string& key) {
  const size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return false;
  key = line.substr(0, colon);
  line.remove_prefix(colon);
  return true;
}

// ": 17"
bool ReadRow(std::string_view text, uint32_t& row) {
  if (!text.starts_with(':')) return false;
  text.remove_prefix(std::min(text.find_first_not_of(" \t", 1), text.size()));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row);
  return error == std::errc() && end == text.data() + text.size() && row < kMostRows;
}

void AppendJson(std::string& json, std::string_view key, uint32_t row) {
  constexpr char kDigits[] = "0123456789abcdef";
  json += json.size() == 1 ? "\"" : ",\"";
  for (const char c : key) {
    if (static_cast<uint8_t>(c) < 0x20) {
      json += "\\u00";
      json += kDigits[c >> 4];
      json += kDigits[c & 15];
      continue;
    }
    if (c == '"' || c == '\\') json += '\\';
    json += c;
  }
  json += "\":" + std::to_string(row);
}

}  // namespace

Result<std::string> VocabularyFromYaml(std::string_view yaml, const std::string& file) {
  std::string json = "{";
  uint32_t rows = 0;
  for (size_t number = 1; !yaml.empty(); ++number) {
    // A line without white space at its end. Empty lines, the document's mark and comments are skipped.
    const size_t end = std::min(yaml.find('\n'), yaml.size());
    std::string_view line = yaml.substr(0, end);
    yaml.remove_prefix(std::min(end + 1, yaml.size()));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (line.empty() || line == "---" || line.starts_with("# ")) continue;
    // `key: row`, with the key in one of YAML's three spellings.
    std::string key;
    uint32_t row = 0;
    const bool taken = line[0] == '"'    ? TakeDoubleQuoted(line, key)
                       : line[0] == '\'' ? TakeSingleQuoted(line, key)
                                         : TakePlain(line, key);
    if (!taken || key.empty() || !ReadRow(line, row)) {
      return Error{ErrorCode::kInvalidFile, "is not \"piece: row\"", file + ", line " + std::to_string(number)};
    }
    if ((key == "</s>") != (row == 0)) {
      return Error{ErrorCode::kInvalidFile, "row 0 belongs to \"</s>\"", file + ", line " + std::to_string(number)};
    }
    AppendJson(json, key, row);
    rows = std::max(rows, row + 1);
  }
  // The piece by which Hugging Face pads batches.
  AppendJson(json, "<pad>", rows);
  return json + "}";
}

}  // namespace qkv
