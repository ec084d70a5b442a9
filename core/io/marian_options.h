// special:model.yml: the options that a Marian model was trained with. The subset of YAML that Marian writes: a key and
// a value, or a key and a list of values, a line each; no anchors, no tags, no maps inside.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/activation.h"
#include "core/models/transformer_config.h"

namespace qkv {

// Views of the text.
class MarianOptions {
 public:
  struct Option {
    std::string_view key, value;  // of a list its last item; empty where it has none
  };

  // `file`: for errors, "model.bin, special:model.yml". `text` outlives the options. Errors: kInvalidFile names the
  // line.
  static Result<MarianOptions> Parse(std::string_view text, std::string file);

  // The value of a key, `fallback` where there is none.
  std::string_view Get(std::string_view key, std::string_view fallback) const;

  const std::vector<Option>& all() const { return all_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<Option> all_;
};

// What the options say and the tensors' names and shapes do not.
struct MarianChoices {
  size_t heads = 8;
  Activation activation = Activation::kRelu;
  size_t alignment_layer = 0;  // whose first head aligns source and target
};

// Of a model of that shape. Every option that changes what is computed is honoured or refused. Errors: kUnsupported,
// kInvalidFile; both name the option.
Result<MarianChoices> ReadMarianOptions(const MarianOptions& options, const TransformerConfig& config);

}  // namespace qkv
