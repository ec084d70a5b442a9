#include "core/text/pattern.h"

namespace qkv {
namespace {

constexpr size_t kNone = std::string_view::npos;

// Whether a byte is in the class that a letter after \ names.
bool IsIn(char c, char class_name) {
  const auto lower = static_cast<char>(c | 0x20);
  const bool digit = c >= '0' && c <= '9', ascii_letter = lower >= 'a' && lower <= 'z';
  const auto byte = static_cast<unsigned char>(c);
  // Bytes of UTF-8 count as letters, except those that begin signs: C2 (such as «) and E2 (such as “).
  const bool letter = ascii_letter || (byte >= 0x80 && byte != 0xC2 && byte != 0xE2);
  switch (class_name) {
    case 'd':
      return digit;
    case 'x':
      return digit || (lower >= 'a' && lower <= 'f');
    case 'a':
      return letter;
    case 'u':
      return ascii_letter && c != lower;
    case 'l':
      return ascii_letter && c == lower;
    case 'w':
      return letter || digit || c == '_';
    case 's':
      return c == ' ' || (c >= '\t' && c <= '\r');
    default:
      return c == class_name;
  }
}

// Whether byte c matches the atom at `p`, which is not a group.
bool IsOne(char c, const char* p) {
  if (*p == '\\') return IsIn(c, p[1]);
  if (*p != '[') return c == *p;
  const bool other = *++p == '^';
  for (p += other; *p != ']'; ++p) {
    if (*p == '\\' ? IsIn(c, *++p) : c == *p) return !other;
  }
  return other;
}

// The end of the atom at `p`: a group, a set in brackets, a class or a byte.
const char* AtomEnd(const char* p) {
  size_t depth = 0;
  do {
    if (*p == '[') {
      while (*p != ']') ++p;
    } else if (*p == '\\') {
      ++p;
    } else if (*p == '(') {
      ++depth;
    } else if (*p == ')') {
      --depth;
    }
    ++p;
  } while (depth > 0);
  return p;
}

bool EndsSequence(char c) { return c == 0 || c == '|' || c == ')'; }

// The first of several sequences that matches.
size_t MatchAlternatives(const char* p, std::string_view text, size_t at);

size_t MatchAtom(const char* p, std::string_view text, size_t at) {
  if (*p == '(') return MatchAlternatives(p + 1, text, at);
  return at < text.size() && IsOne(text[at], p) ? at + 1 : kNone;
}

// Matches atoms in a row, each as often as its sign *, + or ? allows. It is greedy and never goes back.
size_t MatchSequence(const char* p, std::string_view text, size_t at) {
  while (!EndsSequence(*p)) {
    const char* const end = AtomEnd(p);
    const bool many = *end == '*' || *end == '+', optional = *end == '*' || *end == '?';
    bool found = false;
    for (size_t next; (next = MatchAtom(p, text, at)) != kNone && next != at;) {
      at = next;
      found = true;
      if (!many) break;
    }
    if (!found && !optional) return kNone;
    p = many || optional ? end + 1 : end;
  }
  return at;
}

size_t MatchAlternatives(const char* p, std::string_view text, size_t at) {
  for (;; ++p) {
    const size_t end = MatchSequence(p, text, at);
    if (end != kNone) return end;
    while (!EndsSequence(*p)) p = AtomEnd(p);
    if (*p != '|') return kNone;
  }
}

}  // namespace

size_t MatchPattern(const char* pattern, std::string_view text) {
  const size_t end = MatchAlternatives(pattern, text, 0);
  return end == kNone ? 0 : end;
}

}  // namespace qkv
