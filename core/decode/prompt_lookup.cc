#include "core/decode/prompt_lookup.h"

#include <algorithm>

namespace qkv {
namespace {

// A right guess adds kRight to the score, a wrong one takes 1 away; drafts are made while the score is above 0. So they
// end where fewer than one guess in three is right. The limits let the score change its sign after a few guesses.
constexpr int kRight = 2, kFirst = 2, kLeast = -8, kMost = 8;

// The place behind the last earlier occurrence of the text's last three pieces, or else of its last two; 0: there is
// none.
size_t Find(std::span<const int32_t> text) {
  const size_t size = text.size();
  size_t two = 0;
  for (size_t last = size < 3 ? 0 : size - 2; last > 0; --last) {
    if (text[last] != text[size - 1] || text[last - 1] != text[size - 2]) continue;
    if (last > 1 && text[last - 2] == text[size - 3]) return last + 1;
    if (two == 0) two = last + 1;
  }
  return two;
}

}  // namespace

PromptLookup::PromptLookup() : score_(kFirst) {}

void PromptLookup::Read(std::span<const int32_t> text) {
  const bool guessed = next_ != 0, right = guessed && text[next_] == text.back();
  if (guessed) score_ = std::clamp(score_ + (right ? kRight : -1), kLeast, kMost);
  right_ = right ? right_ + 1 : 0;
  next_ = right ? next_ + 1 : Find(text);
}

// One piece, and one more for each guess in a row that was right: wrong pieces cost time, and a long repetition is soon
// drafted at full length. Behind the end of the text the draft itself goes on, so that a phrase that is repeated is
// drafted several times.
void PromptLookup::Draft(size_t most, std::vector<int32_t>& text) const {
  if (next_ == 0 || score_ <= 0) return;
  const size_t count = std::min({most, kLongest, right_ + 1});
  for (size_t i = 0; i < count; ++i) {
    const int32_t piece = text[next_ + i];
    text.push_back(piece);
  }
}

}  // namespace qkv
