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
  // n-grams are those that say most about all languages together: by their mutual information with the language, among
  // the languages that write with the block of their first letter. The others tell similar languages apart: each
  // language from the four with the most similar common n-grams, by the terms of Jeffreys's divergence, sum (p - q)
  // ln(p / q).
  std::string Choose(size_t rows) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace qkv
