// Makes examples from the lines of a corpus, in one way for each training task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/train/batch.h"

namespace qkv {

struct Example {
  std::vector<int32_t> source, target;  // rows of the embedding, or answers
};

// What happens to a side with too many rows.
enum class TooLong { kLeaveOut, kCut };

class Examples {
 public:
  virtual ~Examples() = default;

  // The example of a pair of texts, each side of at most `longest` rows. Random choices use the generator; without one
  // the example is always the same. False: it is too long or empty. Errors: kInvalidArgument if the texts are not an
  // example of this task.
  virtual Result<bool> Make(std::string_view source, std::string_view target, Random* random, size_t longest,
                            TooLong too_long, Example* example) const = 0;
  // Appends an example that Make made.
  virtual void Add(std::span<const int32_t> source, std::span<const int32_t> target, Batch* batch) const = 0;
};

}  // namespace qkv
