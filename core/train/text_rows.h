// Turns texts into rows of the embedding. It is all that batches know about a vocabulary.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/translate/model.h"

namespace qkv {

class TextRows {
 public:
  virtual ~TextRows() = default;

  // Appends the rows of `text`, without </s>. With a generator the pieces may be drawn at random, if the options say so
  // (subword regularisation); without one they are always the same.
  virtual void Append(std::string_view text, Side side, Random* random, std::vector<int32_t>* rows) const = 0;

  virtual int32_t start() const = 0;  // what the decoder reads first; its embedding is zero
  virtual int32_t end() const = 0;    // </s>
};

}  // namespace qkv
