// Chooses the n-grams that a language detector should know, from texts in known languages.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace qkv {

class GramLearner {
 public:
  // Adds a text; of each language the first few hundred thousand bytes count.
  void Add(std::string_view language, std::string_view text);

  size_t languages() const { return texts_.size(); }
  // ngrams.txt (core/detect/gram_list.h): the blocks of all letters, then n-grams, `rows` lines at most. Half of the
  // n-grams say most of all languages together: by their mutual information with the language, among the languages that
  // write with their first letter's block. The others tell languages apart that are alike: each language from the four
  // whose common n-grams are most like its own, by the terms of Jeffreys's divergence, sum (p - q) ln(p / q).
  std::string Choose(size_t rows) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace qkv
