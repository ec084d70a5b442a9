// What the config.json of a BERT, a DistilBERT or a RoBERTa says, checked: a switch that this engine does not have is
// refused with a sentence, never ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/kernels/activation.h"

namespace qkv {

struct EncoderConfig {
  enum class Layout { kBert, kDistilBert, kRoberta };
  // What it was trained to say of a text; kNone: what each piece is like, nothing more.
  enum class Head { kNone, kMasked, kSequence, kTokens, kAnswer };
  // How a sequence's labels compete.
  enum class Choice { kOne, kSeveral, kNumber };

  Layout layout = Layout::kBert;
  Head head = Head::kNone;
  Choice choice = Choice::kOne;
  size_t d_model = 0, layers = 0, heads = 0, ffn = 0;
  size_t vocabulary = 0;
  size_t positions = 0;       // rows of the table
  size_t first_position = 0;  // of the first piece: RoBERTa counts from past its padding
  size_t types = 0;           // segments; 0: the model knows none
  Activation activation = Activation::kGelu;
  float epsilon = 1e-12f;
  float dropout = 0, attention_dropout = 0;  // while training
  std::vector<std::string> labels;           // of the head, where it has them

  // The most pieces of a text.
  size_t longest() const { return positions - first_position; }
};

// `json` is the content of config.json.
Result<EncoderConfig> ParseEncoderConfig(std::string_view json);

}  // namespace qkv
