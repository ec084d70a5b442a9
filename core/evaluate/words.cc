#include "core/evaluate/words.h"

namespace qkv {
namespace {

// The number of bytes of the white space character that `text` begins with, or 0. White space is that of Python's
// str.split.
size_t SpaceLength(std::string_view text) {
  const auto byte = [&](size_t i) -> unsigned { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const unsigned a = byte(0), b = byte(1), c = byte(2);
  if ((a >= 0x09 && a <= 0x0D) || (a >= 0x1C && a <= 0x20)) return 1;
  if (a == 0xC2 && (b == 0x85 || b == 0xA0)) return 2;
  if (a == 0xE1 && b == 0x9A && c == 0x80) return 3;  // U+1680
  if (a == 0xE2 && b == 0x80 && ((c >= 0x80 && c <= 0x8A) || (c >= 0xA8 && c <= 0xA9) || c == 0xAF)) return 3;
  if (a == 0xE2 && b == 0x81 && c == 0x9F) return 3;  // U+205F
  if (a == 0xE3 && b == 0x80 && c == 0x80) return 3;  // U+3000
  return 0;
}

void Replace(std::string* text, std::string_view what, std::string_view by) {
  for (size_t at = text->find(what); at != std::string::npos; at = text->find(what, at + by.size())) {
    text->replace(at, what.size(), by);
  }
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsStop(char c) { return c == '.' || c == ','; }

// Punctuation of ASCII but for ' , - . and the digits and letters.
bool StandsAlone(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

// Puts spaces around each match of two neighbouring bytes, and continues after both, as a regular expression does.
// Bytes are enough, because the patterns are ASCII.
template <class Matches>
std::string Separate(const std::string& text, Matches matches, bool before_first, bool before_second, bool behind) {
  std::string out;
  out.reserve(text.size() + 32);
  for (size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !matches(text[i], text[i + 1])) {
      out += text[i];
      continue;
    }
    if (before_first) out += ' ';
    out += text[i++];
    if (before_second) out += ' ';
    out += text[i];
    if (behind) out += ' ';
  }
  return out;
}

}  // namespace

std::vector<std::string_view> SplitAtSpaces(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size();) {
    const size_t space = at == text.size() ? 1 : SpaceLength(text.substr(at));
    if (space == 0) {
      ++at;
      continue;
    }
    if (at > begin) parts.push_back(text.substr(begin, at - begin));
    at += space;
    begin = at;
  }
  return parts;
}

std::string Tokenize13a(std::string_view line) {
  // Entities and line ends, as mteval-v13a replaces them.
  std::string text = " " + std::string(line) + " ";
  Replace(&text, "<skipped>", "");
  Replace(&text, "-\n", "");
  Replace(&text, "\n", " ");
  Replace(&text, "&quot;", "\"");
  Replace(&text, "&amp;", "&");
  Replace(&text, "&lt;", "<");
  Replace(&text, "&gt;", ">");
  // Spaces around punctuation; around full stops, commas and dashes depending on digits beside them.
  std::string apart;
  for (const char c : text) {
    if (StandsAlone(c)) {
      apart += ' ';
      apart += c;
      apart += ' ';
    } else {
      apart += c;
    }
  }
  apart = Separate(apart, [](char a, char b) { return !IsDigit(a) && IsStop(b); }, false, true, true);
  apart = Separate(apart, [](char a, char b) { return IsStop(a) && !IsDigit(b); }, true, true, false);
  apart = Separate(apart, [](char a, char b) { return IsDigit(a) && b == '-'; }, false, true, true);
  // One space between words.
  std::string words;
  for (const std::string_view word : SplitAtSpaces(apart)) {
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

}  // namespace qkv
