#include "core/text/rewrite.h"

namespace qkv {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

// What BERT calls Chinese characters: the blocks of CJK ideographs, whatever the language.
bool IsIdeograph(uint32_t c) {
  constexpr uint32_t kBlocks[][2] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
                                     {0x2B740, 0x2B81F}, {0x2B820, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  for (const auto& [first, last] : kBlocks) {
    if (c >= first && c <= last) return true;
  }
  return false;
}

SpannedText CleanForBert(const SpannedText& text, const RewriteStep::Bert& bert) {
  return Mapped(text, [&](uint32_t c, const auto& add) {
    const bool line = c == '\t' || c == '\n' || c == '\r';
    if (bert.clean_text) {
      if (c == 0 || c == kReplacement || (!line && FactsOf(c).kind == CharKind::kControl)) return;
      if (IsWhite(c)) c = ' ';
    }
    const bool split = bert.split_ideographs && IsIdeograph(c);
    if (split) add(' ');
    add(c);
    if (split) add(' ');
  });
}

// BERT removes nonspacing marks only.
SpannedText StripAccents(const SpannedText& text, bool wide_marks) {
  return Mapped(text, [&](uint32_t c, const auto& add) {
    const CharFacts facts = FactsOf(c);
    for (const uint32_t to : facts.base) {
      if (to != 0 && !(wide_marks && FactsOf(to).kind == CharKind::kWideMark)) add(to);
    }
    if (c == 0) add(c);
  });
}

SpannedText Lowercase(const SpannedText& text) {
  return Mapped(text, [](uint32_t c, const auto& add) {
    const CharFacts facts = FactsOf(c);
    add(facts.lower[0]);
    if (facts.lower[1] != 0) add(facts.lower[1]);
  });
}

// Which part of the original each character of a replacement stands for, as in Hugging Face's library tokenizers, so
// that spans are the same.
enum class Spans {
  kLast,       // every character stands for the last character that is replaced
  kOneForOne,  // each character stands for one replaced character; those beyond stand for the last one
};

// Appends `replacement` to `to` instead of bytes [begin, begin + length) of `text`.
void AddInPlaceOf(const SpannedText& text, size_t begin, size_t length, std::string_view replacement, Spans spans,
                  SpannedText& to) {
  const auto after = [&](size_t at) { return at + DecodeOne(std::string_view(text.text).substr(at)).length; };
  size_t at = begin;
  while (spans == Spans::kLast && after(at) < begin + length) at = after(at);
  for (size_t i = 0; i < replacement.size();) {
    const size_t size = DecodeOne(replacement.substr(i)).length;
    to.Add(replacement.substr(i, size), text.begin[at], text.end[at]);
    if (after(at) < begin + length) at = after(at);
    i += size;
  }
}

// `match(text)` returns how many bytes at the beginning of `text` are replaced, and by what.
template <class Match>
SpannedText ReplaceEach(const SpannedText& text, Spans spans, const Match& match) {
  SpannedText to;
  for (size_t i = 0; i < text.size() && !to.cut;) {
    const auto [length, replacement] = match(std::string_view(text.text).substr(i));
    if (length == 0) {
      const size_t next = i + DecodeOne(std::string_view(text.text).substr(i)).length;
      to.Add(text, i, next);
      i = next;
    } else {
      AddInPlaceOf(text, i, length, replacement, spans, to);
      i += length;
    }
  }
  return to;
}

SpannedText Strip(const SpannedText& text, const RewriteStep& step) {
  size_t first = 0, last = text.size(), end = 0;
  bool seen = false;
  for (size_t i = 0; i < text.size();) {
    const Decoded one = DecodeOne(std::string_view(text.text).substr(i));
    if (!IsWhite(one.code_point)) {
      if (!seen) first = i;
      seen = true;
      end = i + one.length;
    }
    i += one.length;
  }
  if (!step.left) first = 0;
  if (step.right) last = step.left || seen ? end : 0;
  if (!seen) first = last = 0;
  SpannedText to;
  to.Add(text, first, last);
  return to;
}

SpannedText Rewrite(const SpannedText& text, const RewriteStep& step) {
  using Found = std::pair<size_t, std::string_view>;
  // A replacement has the span of what it replaces: of the last character, or one for one.
  switch (step.kind) {
    case RewriteStep::Kind::kBert: {
      SpannedText to = CleanForBert(text, step.bert);
      if (step.bert.strip_accents) to = StripAccents(to, false);
      return step.bert.lowercase ? Lowercase(to) : to;
    }
    case RewriteStep::Kind::kLowercase:
      return Lowercase(text);
    case RewriteStep::Kind::kStripAccents:
      return StripAccents(text, true);
    case RewriteStep::Kind::kReplace:
      return ReplaceEach(text, Spans::kLast, [&](std::string_view rest) {
        return rest.starts_with(step.from) ? Found{step.from.size(), step.to} : Found{};
      });
    case RewriteStep::Kind::kReplaceRuns:
      return ReplaceEach(text, Spans::kLast, [&](std::string_view rest) {
        const size_t run = std::min(rest.find_first_not_of(' '), rest.size());
        return run >= 2 ? Found{run, step.to} : Found{};
      });
    case RewriteStep::Kind::kPrepend: {
      SpannedText to;
      if (text.size() != 0) to.Add(step.to, text.begin[0], text.end[0]);
      to.Add(text, 0, text.size());
      return to;
    }
    case RewriteStep::Kind::kStrip:
      return Strip(text, step);
    case RewriteStep::Kind::kCharsmap:
      return ReplaceEach(text, Spans::kOneForOne, [&](std::string_view rest) {
        const Charsmap::Match match = step.charsmap.Longest(rest);
        return Found{match.length, match.replacement};
      });
  }
  return text;
}

}  // namespace

SpannedText Rewrite(SpannedText text, const std::vector<RewriteStep>& steps) {
  for (const RewriteStep& step : steps) {
    const bool cut = text.cut;
    text = Rewrite(text, step);
    text.cut |= cut;
  }
  return text;
}

}  // namespace qkv
