#include "core/io/marian_options.h"

#include <algorithm>
#include <charconv>

#include "core/base/budget.h"
#include "core/models/config_fields.h"

namespace qkv {
namespace {

// `text` without blanks and quotes at its ends.
std::string_view Trim(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \r\t"), text.size());
  text = text.substr(begin, text.find_last_not_of(" \r\t") + 1 - begin);
  const bool quoted = text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0];
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// Whether YAML reads `value` as a plain value.
bool IsPlain(std::string_view value) {
  return value.empty() || std::string_view("&*!|>{[%@`").find(value[0]) == std::string_view::npos;
}

// An option, the values that are supported (separated by blanks, "-" for an empty value), and the feature that other
// values would need.
struct Known {
  std::string_view key, values;
  const char* meaning;
};
constexpr Known kKnown[] = {
    {"type", "transformer", "models other than Transformers"},
    {"transformer-decoder-autoreg", "rnn self-attention", "another decoder"},
    {"transformer-postprocess", "dan an da a dn n", "residuals and norms in another order"},
    {"transformer-preprocess", "- n dn nd d", "another operation before a part of a layer"},
    {"transformer-postprocess-emb", "- d n dn nd", "another operation after the embeddings"},
    {"transformer-postprocess-top", "- d n dn nd", "another operation after the last layers"},
    {"transformer-ffn-depth", "2", "feed-forward networks of another depth"},
    {"transformer-decoder-ffn-depth", "0 2", "feed-forward networks of another depth"},
};
// Options that have no effect here: they concern training or other types of model, or the tensors show the same. They
// are one text, separated by blanks, because a list would be a larger download.
constexpr std::string_view kWithoutEffect =
    "bert-train-type-embeddings bert-type-vocab-size dec-cell-base-depth dec-cell-high-depth dim-rnn "
    "enc-cell enc-cell-depth enc-type factors-combine tied-embeddings tied-embeddings-all "
    "tied-embeddings-src transformer-aan-activation transformer-aan-depth transformer-aan-nogate "
    "transformer-dim-aan ulr-dim-emb ulr-trainable-transformation version dim-vocabs dim-emb enc-depth "
    "dec-depth transformer-dim-ffn transformer-decoder-dim-ffn transformer-heads "
    "transformer-ffn-activation transformer-guided-alignment-layer dec-cell transformer-train-positions "
    "transformer-train-position-embeddings";

bool Lists(std::string_view values, std::string_view value) {
  if (value.empty()) value = "-";
  while (!values.empty()) {
    const size_t end = std::min(values.find(' '), values.size());
    if (values.substr(0, end) == value) return true;
    values.remove_prefix(std::min(end + 1, values.size()));
  }
  return false;
}

Error Refuse(const MarianOptions& options, std::string_view key, std::string message,
             ErrorCode code = ErrorCode::kUnsupported) {
  return {code, std::move(message), options.file() + ", " + std::string(key)};
}

Result<void> CheckOption(const MarianOptions& options, std::string_view key, std::string_view value) {
  for (const Known& known : kKnown) {
    if (known.key != key) continue;
    if (Lists(known.values, value)) return {};
    return Refuse(options, key,
                  "\"" + std::string(value) + "\": this engine does not run " + std::string(known.meaning));
  }
  if (Lists(kWithoutEffect, key) || Lists("- false 0 none", value)) return {};
  return Refuse(options, key, "\"" + std::string(value) + "\": this engine runs no model with this option");
}

// A size that the tensors also imply.
struct ImpliedSize {
  const char* key;
  size_t of_tensors;
};

Result<void> CheckSizes(const MarianOptions& options, const TransformerConfig& config) {
  const ImpliedSize sizes[] = {{"dim-emb", config.d_model},
                               {"enc-depth", config.encoder_layers},
                               {"dec-depth", config.decoder_layers},
                               {"transformer-dim-ffn", config.encoder_ffn}};
  for (const ImpliedSize& each : sizes) {
    const std::string expected = std::to_string(each.of_tensors);
    const std::string_view given = options.Get(each.key, expected);
    if (given == expected) continue;
    return Refuse(options, each.key, "is " + std::string(given) + "; the tensors have " + expected,
                  ErrorCode::kInvalidFile);
  }
  return {};
}

// Checks that the options of norms and of the decoder's cells agree with the tensors.
Result<void> CheckLayers(const MarianOptions& options, const TransformerConfig& config) {
  const bool ssru = config.past == Past::kSsru;
  const auto has_norm = [&](const char* key, const char* fallback) {
    return options.Get(key, fallback).find('n') != std::string_view::npos;
  };
  const auto contradicts = [&](const char* key) {
    return Refuse(options, key, "does not fit the tensors that the file has", ErrorCode::kInvalidFile);
  };
  // The decoder's cell.
  if ((options.Get("transformer-decoder-autoreg", "self-attention") == "rnn") != ssru) {
    return contradicts("transformer-decoder-autoreg");
  }
  if (ssru && options.Get("dec-cell", "gru") != "ssru") {
    return Refuse(options, "dec-cell", "this engine runs \"ssru\" in a Transformer's decoder, and no other cell");
  }
  // Norms.
  if (has_norm("transformer-preprocess", "") != config.pre_norm) return contradicts("transformer-preprocess");
  if (has_norm("transformer-postprocess", "dan") == config.pre_norm) return contradicts("transformer-postprocess");
  if (has_norm("transformer-postprocess-emb", "d") != config.norm_embedding) {
    return contradicts("transformer-postprocess-emb");
  }
  if (has_norm("transformer-postprocess-top", "") != config.norm_last)
    return contradicts("transformer-postprocess-top");
  // Marian reads the first of these names. Its command line, and so its files, use the second.
  bool trains = false;
  for (const char* const key : {"transformer-train-positions", "transformer-train-position-embeddings"}) {
    if (options.Get(key, "false") != "true") continue;
    if (!config.trained_positions) return contradicts(key);
    trains = true;
  }
  return trains == config.trained_positions ? Result<void>() : contradicts("transformer-train-positions");
}

// A whole number from 1 to `most`.
Result<size_t> ReadNumber(const MarianOptions& options, std::string_view key, std::string_view fallback, size_t most) {
  const std::string_view text = options.Get(key, fallback);
  size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= most) return value;
  return Refuse(options, key, "\"" + std::string(text) + "\" is no whole number from 1 to " + std::to_string(most),
                ErrorCode::kInvalidFile);
}

}  // namespace

Result<MarianOptions> MarianOptions::Parse(std::string_view text, std::string file) {
  MarianOptions options;
  options.file_ = std::move(file);
  text = text.substr(0, text.find('\0'));
  size_t line = 0;
  // The list grows: at its last step the old list, half as long, exists beside the new one.
  const auto lines = static_cast<uint64_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  QKV_CHECK(CheckMemory(3 * lines * sizeof(Option), kTooLarge, options.file_));
  // Line by line: a key, or an item of the list under the last key.
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end), content = Trim(whole);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    const auto wrong = [&] {
      return Error{ErrorCode::kInvalidFile, "is not \"key: value\" and no item of a list",
                   options.file_ + ", line " + std::to_string(line)};
    };
    if (content.empty() || content[0] == '#') continue;
    const bool item = whole[0] == ' ' || whole[0] == '-';
    const size_t colon = item ? std::string_view::npos : content.find(':');
    if (!item && colon == std::string_view::npos) return wrong();
    if (!item) {
      options.all_.push_back({Trim(content.substr(0, colon)), {}});
    } else if (options.all_.empty() || (content != "[]" && !content.starts_with("- "))) {
      return wrong();
    }
    // An option keeps its first and its last value.
    const std::string_view value = Trim(content.substr(item ? 1 : colon + 1));
    if (content == "[]" || value == "[]") continue;
    if (!IsPlain(value)) return wrong();
    Option& option = options.all_.back();
    if (option.value.empty()) option.first = value;
    option.value = value;
  }
  return options;
}

std::string_view MarianOptions::Get(std::string_view key, std::string_view fallback) const {
  for (const Option& option : all_) {
    if (option.key == key) return option.value;
  }
  return fallback;
}

Result<MarianChoices> ReadMarianOptions(const MarianOptions& options, const TransformerConfig& config) {
  // Options that this engine does not support, and options that contradict the tensors, are errors.
  for (const MarianOptions::Option& option : options.all()) QKV_CHECK(CheckOption(options, option.key, option.value));
  QKV_CHECK(CheckSizes(options, config));
  QKV_CHECK(CheckLayers(options, config));
  // Options that no tensor shows.
  MarianChoices choices;
  QKV_TRY(choices.heads, ReadNumber(options, "transformer-heads", "8", config.d_model));
  if (config.d_model % choices.heads != 0) {
    return Refuse(options, "transformer-heads", "must divide dim-emb, " + std::to_string(config.d_model),
                  ErrorCode::kInvalidFile);
  }
  const std::string_view activation = options.Get("transformer-ffn-activation", "swish");
  if (activation == "relu") {
    choices.activation = Activation::kRelu;
  } else if (activation == "swish") {
    choices.activation = Activation::kSilu;
  } else if (activation == "gelu") {
    choices.activation = Activation::kGeluSigmoid;
  } else {
    return Refuse(options, "transformer-ffn-activation",
                  "\"" + std::string(activation) + "\": this engine runs relu, swish and gelu");
  }
  choices.residual = options.Get("transformer-postprocess", "dan").find('a') != std::string_view::npos;
  choices.alignment_layer = config.decoder_layers - 1;
  if (options.Get("transformer-guided-alignment-layer", "last") != "last") {
    QKV_TRY(const size_t layer,
            ReadNumber(options, "transformer-guided-alignment-layer", "last", config.decoder_layers));
    choices.alignment_layer = layer - 1;
  }
  return choices;
}

}  // namespace qkv
