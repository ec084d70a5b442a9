// Drafts by prompt look-up (Saxena 2023): where the last pieces of a text occurred before, what followed them there may
// follow again. A model reads a draft in one pass, and only what it would have written anyway is kept (Leviathan et al.
// 2023). So a draft changes the time that a text takes, never the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace qkv {

class PromptLookup {
 public:
  static constexpr size_t kLongest = 15;  // pieces of a draft

  PromptLookup();

  // To be called when `text`, the prompt and what was written, has one piece more. Takes time in proportion to its
  // length if the last guess was wrong, and allocates nothing.
  void Read(std::span<const int32_t> text);

  // Appends the pieces that may follow to `text`, as it was read last: at most `most`, and none if too few guesses were
  // right of late.
  void Draft(size_t most, std::vector<int32_t>& text) const;

 private:
  size_t next_ = 0;   // the place in the text of the piece that is guessed to follow; 0: there is no guess
  size_t right_ = 0;  // the last guesses in a row that were right
  int score_;         // above 0: drafts are made
};

}  // namespace qkv
