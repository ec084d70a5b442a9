#include "core/train/pair_examples.h"

#include <algorithm>

namespace qkv {

Result<bool> PairExamples::Make(std::string_view source, std::string_view target, Random* random, size_t longest,
                                TooLong too_long, Example* example) const {
  const auto make = [&](std::string_view text, Side side, std::vector<int32_t>* to) {
    to->clear();
    rows_.Append(text, side, random, to);
    if (too_long == TooLong::kCut) to->resize(std::min(to->size(), longest - 1));
    to->push_back(rows_.end());
    return too_long == TooLong::kCut || (to->size() > 1 && to->size() <= longest);
  };
  return make(source, Side::kSource, &example->source) && make(target, Side::kTarget, &example->target);
}

}  // namespace qkv
