// Examples of translation: the decoder learns to write the target.
#pragma once

#include "core/train/examples.h"
#include "core/train/text_rows.h"

namespace qkv {

class PairExamples : public Examples {
 public:
  // `rows` outlives it.
  explicit PairExamples(const TextRows& rows) : rows_(rows) {}

  Result<bool> Make(std::string_view source, std::string_view target, Random* random, size_t longest, TooLong too_long,
                    Example* example) const override;
  void Add(std::span<const int32_t> source, std::span<const int32_t> target, Batch* batch) const override {
    batch->AddPair(source, target, rows_.start());
  }

 private:
  const TextRows& rows_;
};

}  // namespace qkv
