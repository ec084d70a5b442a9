// Cuts texts into sentences before they are translated, and joins the translations afterwards.
#pragma once

#include <string>
#include <vector>

#include "core/translate/translation.h"

namespace qkv::cli {

class SplitTexts {
 public:
  explicit SplitTexts(const std::vector<std::string>& texts);

  const std::vector<std::string>& sentences() const { return sentences_; }
  // One translation for each text from those of the sentences, with the white space of the text between them. Its
  // confidence is that of the least reliable sentence.
  std::vector<Translation> Join(std::vector<Translation> translations) const;

 private:
  std::vector<std::string> sentences_;
  std::vector<std::vector<std::string>> spaces_;  // of each text: before each sentence, and after the last one
};

}  // namespace qkv::cli
