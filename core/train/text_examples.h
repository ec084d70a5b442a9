// Examples of single texts, for encoders and decoders alone.
#pragma once

#include <string>
#include <vector>

#include "core/text/tokenizer.h"
#include "core/train/examples.h"

namespace qkv {

// A text for a language model (Radford et al. 2018, equation 1). The target side is not read.
class LanguageModelExamples : public Examples {
 public:
  // `end` begins a text, and ends it. The tokenizer outlives this, as it does the classes below.
  LanguageModelExamples(const Tokenizer& tokenizer, int32_t end) : tokenizer_(tokenizer), end_(end) {}

  Result<bool> Make(std::string_view source, std::string_view target, Random* random, size_t longest, TooLong too_long,
                    Example* example) const override;
  void Add(std::span<const int32_t>, std::span<const int32_t> target, Batch* batch) const override {
    batch->AddText(target, end_);
  }

 private:
  const Tokenizer& tokenizer_;
  int32_t end_;
};

// The base of the three classes below: a text of which some pieces have labels.
class TokenLabelExamples : public Examples {
 public:
  explicit TokenLabelExamples(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  void Add(std::span<const int32_t> source, std::span<const int32_t> target, Batch* batch) const override {
    batch->AddTokenLabels(source, target);
  }

 protected:
  // The pieces with the special pieces around them, without labels. False if the text is too long or has no pieces.
  bool Read(std::string_view text, size_t longest, TooLong too_long, Encoding* read, Example* example) const;
  const Tokenizer& tokenizer_;
};

// Masked pieces (Devlin et al. 2018, section 3.1): 15 % of a text's pieces, at least one, have labels. Of these, 80 %
// are replaced by the mask, 10 % by a random piece, and 10 % stay. The draw is new each time. The target side is not
// read.
class MaskedExamples : public TokenLabelExamples {
 public:
  MaskedExamples(const Tokenizer& tokenizer, int32_t mask) : TokenLabelExamples(tokenizer), mask_(mask) {}
  Result<bool> Make(std::string_view source, std::string_view target, Random* random, size_t longest, TooLong too_long,
                    Example* example) const override;

 private:
  int32_t Hidden(int32_t id, Random& random) const;
  int32_t mask_;
};

// A text and its label: the label belongs to the first piece, which stands before the text.
class ClassificationExamples : public TokenLabelExamples {
 public:
  ClassificationExamples(const Tokenizer& tokenizer, std::vector<std::string> labels)
      : TokenLabelExamples(tokenizer), labels_(std::move(labels)) {}
  // Errors: kInvalidArgument for a label that is none of them.
  Result<bool> Make(std::string_view source, std::string_view target, Random* random, size_t longest, TooLong too_long,
                    Example* example) const override;

 protected:
  Result<int32_t> LabelOf(std::string_view name) const;

 private:
  std::vector<std::string> labels_;
};

// Words and as many labels, separated by spaces: a label belongs to the first piece of its word.
class TaggingExamples : public ClassificationExamples {
 public:
  using ClassificationExamples::ClassificationExamples;
  // Errors: kInvalidArgument for a label that is none of them, and where there are more or fewer labels than words.
  Result<bool> Make(std::string_view source, std::string_view target, Random* random, size_t longest, TooLong too_long,
                    Example* example) const override;
};

}  // namespace qkv
