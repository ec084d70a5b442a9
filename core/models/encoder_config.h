// The config.json of a BERT, a DistilBERT or a RoBERTa, checked. A switch that this engine does not support is refused
// with a message, never ignored.
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
  // The task of the head; kNone: the model has only vectors of pieces.
  enum class Head { kNone, kMasked, kSequence, kTokens, kAnswer };
  // How a sequence's labels are chosen.
  enum class Choice { kOne, kSeveral, kNumber };

  Layout layout = Layout::kBert;
  Head head = Head::kNone;
  Choice choice = Choice::kOne;
  size_t d_model = 0, layers = 0, heads = 0, ffn = 0;
  size_t vocabulary = 0;
  size_t positions = 0;       // rows of the table
  size_t first_position = 0;  // the position of the first piece; RoBERTa counts from after its padding row
  size_t types = 0;           // number of segments; 0: the model has no segments
  Activation activation = Activation::kGelu;
  float epsilon = 1e-12f;
  float dropout = 0, attention_dropout = 0;  // while training
  std::vector<std::string> labels;           // of the head, if it has labels

  // The most pieces of a text.
  size_t longest() const { return positions - first_position; }
};

// `json` is the content of config.json.
Result<EncoderConfig> ParseEncoderConfig(std::string_view json);

}  // namespace qkv
