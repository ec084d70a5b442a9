// special:model.yml: the options that a Marian model was trained with. It reads the subset of YAML that Marian writes:
// on each line a key and a value, or a key and a list of values; no anchors, tags or nested maps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/activation.h"
#include "core/models/transformer_config.h"

namespace qkv {

// Holds views of the text.
class MarianOptions {
 public:
  struct Option {
    std::string_view key, value;  // of a list the last item; empty if it has none
    std::string_view first = {};  // of a list the first item
  };

  // `file` is for errors: "model.bin, special:model.yml". `text` must outlive the options. Errors: kInvalidFile names
  // the line.
  static Result<MarianOptions> Parse(std::string_view text, std::string file);

  // The value of a key, or `fallback` if the key is absent.
  std::string_view Get(std::string_view key, std::string_view fallback) const;

  const std::vector<Option>& all() const { return all_; }
  const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::vector<Option> all_;
};

// Facts that only the options say, not the tensors' names and shapes.
struct MarianChoices {
  size_t heads = 8;
  Activation activation = Activation::kRelu;
  bool residual = true;        // what a part of a layer reads is added to what it writes
  size_t alignment_layer = 0;  // the layer whose first head aligns source and target
};

// `config` is that of the tensors. Every option that changes the result is either supported or refused. Errors:
// kUnsupported, kInvalidFile; both name the option.
Result<MarianChoices> ReadMarianOptions(const MarianOptions& options, const TransformerConfig& config);

}  // namespace qkv
