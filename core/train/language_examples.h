// Examples of texts in known languages.
#pragma once

#include <string>
#include <vector>

#include "core/detect/gram_list.h"
#include "core/train/examples.h"

namespace qkv {

// TEXT<TAB>LANGUAGE. With a generator an example is a part of the text of 5 to 100 characters. The logarithm of its
// length is uniform, so short parts are more frequent. Some parts lose their diacritics, because people often type
// without them. Case and punctuation are not changed, because the model does not see them (core/detect/letters.h).
class LanguageExamples : public Examples {
 public:
  // `grams` outlive this.
  LanguageExamples(const GramList& grams, std::vector<std::string> languages)
      : grams_(grams), languages_(std::move(languages)) {}

  // Errors: kInvalidArgument for a language that is none of them.
  Result<bool> Make(std::string_view source, std::string_view target, Random* random, size_t longest, TooLong too_long,
                    Example* example) const override;
  void Add(std::span<const int32_t> source, std::span<const int32_t> target, Batch* batch) const override {
    batch->AddLabelled(source, target.front());
  }

 private:
  const GramList& grams_;
  std::vector<std::string> languages_;
};

}  // namespace qkv
