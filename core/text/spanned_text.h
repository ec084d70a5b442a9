// A text while it is rewritten: each byte knows which bytes of the original it stands for. It never grows past
// kLongestText, because a few steps of a tokenizer.json that each replace a byte by a thousand would fill any memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/budget.h"
#include "core/text/unicode.h"

namespace qkv {

struct SpannedText {
  std::string text;
  std::vector<uint32_t> begin, end;  // for each byte, half-open; all bytes of one code point have the same
  bool cut = false;                  // the end of the text is missing

  SpannedText() = default;
  // `original` is a part of the original text that begins at offset `at`. Each invalid byte becomes U+FFFD.
  SpannedText(std::string_view original, size_t at) {
    for (size_t i = 0; i < original.size() && !cut;) {
      const Decoded one = DecodeOne(original.substr(i));
      Add(one.code_point, static_cast<uint32_t>(at + i), static_cast<uint32_t>(at + i + one.length));
      i += one.length;
    }
  }

  size_t size() const { return text.size(); }
  // Add appends as many whole code points as fit. After the first that does not fit, nothing more is
  // added.
  void Add(uint32_t code_point, uint32_t from, uint32_t to) {
    if (!Fits(4)) return;
    AppendUtf8(code_point, text);
    begin.resize(text.size(), from);
    end.resize(text.size(), to);
  }
  void Add(std::string_view more, uint32_t from, uint32_t to) {
    if (!Fits(more.size())) return;
    text += more;
    begin.resize(text.size(), from);
    end.resize(text.size(), to);
  }
  // Appends bytes [first, last) of another text.
  void Add(const SpannedText& other, size_t first, size_t last) {
    if (cut) return;
    if (!Fits(last - first)) {
      last = first + kLongestText - text.size();
      while (last > first && (other.text[last] & 0xC0) == 0x80) --last;
    }
    const auto at = [](size_t i) { return static_cast<std::ptrdiff_t>(i); };
    text.append(other.text, first, last - first);
    begin.insert(begin.end(), other.begin.begin() + at(first), other.begin.begin() + at(last));
    end.insert(end.end(), other.end.begin() + at(first), other.end.begin() + at(last));
  }

 private:
  bool Fits(size_t more) {
    cut = cut || more > kLongestText - text.size();
    return !cut;
  }
};

// Replaces the code points of `from` one after the other: `change(code point, add)` is called for each, and `add(code
// point)` appends a code point with the same span.
template <class Change>
SpannedText Mapped(const SpannedText& from, const Change& change) {
  SpannedText to;
  to.text.reserve(from.size());
  to.begin.reserve(from.size());
  to.end.reserve(from.size());
  for (size_t i = 0; i < from.size() && !to.cut;) {
    const Decoded one = DecodeOne(std::string_view(from.text).substr(i));
    change(one.code_point, [&](uint32_t code_point) { to.Add(code_point, from.begin[i], from.end[i]); });
    i += one.length;
  }
  return to;
}

}  // namespace qkv
