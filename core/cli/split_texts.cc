#include "core/cli/split_texts.h"

#include <algorithm>

#include "core/text/sentences.h"

namespace qkv::cli {

SplitTexts::SplitTexts(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    std::vector<std::string>& spaces = spaces_.emplace_back(1);
    for (const TextPart& part : SplitSentences(text)) {
      if (part.sentence) {
        sentences_.emplace_back(part.text);
        spaces.emplace_back();
      } else {
        spaces.back() += part.text;
      }
    }
  }
}

std::vector<Translation> SplitTexts::Join(std::vector<Translation> translations) const {
  std::vector<Translation> joined;
  auto next = translations.begin();
  for (const std::vector<std::string>& spaces : spaces_) {
    Translation& whole = joined.emplace_back();
    whole.text = spaces.front();
    for (size_t i = 1; i < spaces.size(); ++i, ++next) {
      whole.text += next->text + spaces[i];
      whole.confidence = std::min(whole.confidence, next->confidence);
      whole.truncated = whole.truncated || next->truncated;
      whole.foreign = whole.foreign || next->foreign;
      if (whole.cut == Cut::kNone) whole.cut = next->cut;
    }
  }
  return joined;
}

}  // namespace qkv::cli
