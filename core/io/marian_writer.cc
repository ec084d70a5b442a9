#include "core/io/marian_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "core/io/marian_model.h"

namespace qkv {
namespace {

constexpr uint64_t kFloat32 = 0x404, kInt8 = 0x101, kIntgemm8 = 0x4101, kAlignment = 256;
constexpr size_t kInt8Inputs = 64;      // intgemm needs a multiple of this many inputs
constexpr float kNeverWritten = -1e6f;  // the bias of a padding row
constexpr const char* kOutputs = "decoder_ff_logit_out";

// A tensor of the file, of shape [rows, columns].
struct Item {
  std::string name;
  uint64_t type = kFloat32;
  size_t rows = 1, columns = 1;
  std::string data;
};

template <class T>
void Append(std::string& to, const T* values, size_t count) {
  to.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

bool IsTable(const std::string& name) { return name.ends_with("Wemb"); }

// The number of outputs of a slot in Marian's file. Tables of pieces have a row for each piece of the vocabulary, and
// padding rows.
size_t OutputsOf(const WeightSlot& slot, const std::string& name, const MarianTarget& target) {
  if (name == "encoder_Wemb") return MarianRows(target.source_pieces);
  const bool pieces = IsTable(name) || name.starts_with(kOutputs);
  return pieces ? MarianRows(target.target_pieces) : slot.outputs;
}

Item VectorOf(const WeightSlot& slot, const std::string& name, const MarianTarget& target) {
  Item item{name, kFloat32, 1, OutputsOf(slot, name, target), {}};
  const bool pieces = name.starts_with(kOutputs);
  const Vector& values = *std::get<Vector*>(slot.to);
  std::vector<float> all(item.columns, pieces ? kNeverWritten : 0.0f);
  const size_t count = pieces ? target.target_pieces : slot.outputs;
  if (values.size() == 0) {
    std::fill_n(all.begin(), count, 0.0f);
  } else {
    std::copy_n(values.data(), count, all.begin());
  }
  Append(item.data, all.data(), all.size());
  return item;
}

// A matrix as [outputs, inputs], with a table's padding rows.
std::vector<float> RowsOf(const Weight& weight, size_t outputs, size_t pieces) {
  std::vector<float> rows(outputs * weight.inputs());
  for (size_t o = 0; o < std::min(pieces, outputs); ++o) weight.GetRow(o, rows.data() + o * weight.inputs());
  return rows;
}

// Int8 weights, one row for each output, and their multiplier.
std::string Int8Of(const std::vector<float>& rows) {
  float largest = 0;
  for (const float value : rows) largest = std::max(largest, std::abs(value));
  const float multiplier = largest > 0 ? 127 / largest : 1;
  std::string data(rows.size(), '\0');
  for (size_t i = 0; i < rows.size(); ++i) {
    data[i] = static_cast<char>(std::clamp(std::nearbyint(rows[i] * multiplier), -127.0f, 127.0f));
  }
  Append(data, &multiplier, 1);
  return data;
}

// Floats are stored as the shape says: matrices that are not tables are [inputs, outputs].
std::string FloatsOf(const std::vector<float>& rows, size_t outputs, size_t inputs, bool table) {
  std::string data;
  if (table) {
    Append(data, rows.data(), rows.size());
    return data;
  }
  std::vector<float> turned(rows.size());
  for (size_t o = 0; o < outputs; ++o) {
    for (size_t i = 0; i < inputs; ++i) turned[i * outputs + o] = rows[o * inputs + i];
  }
  Append(data, turned.data(), turned.size());
  return data;
}

Item MatrixOf(const WeightSlot& slot, const std::string& name, const MarianTarget& target) {
  const Weight& weight = *std::get<Weight*>(slot.to);
  const size_t outputs = OutputsOf(slot, name, target), inputs = weight.inputs();
  const size_t pieces = name == "encoder_Wemb"    ? target.source_pieces
                        : outputs != slot.outputs ? target.target_pieces
                                                  : slot.outputs;
  const bool table = IsTable(name), int8 = target.largest != nullptr;
  const std::vector<float> rows = RowsOf(weight, outputs, pieces);
  return {name, int8 ? kIntgemm8 : kFloat32, table ? outputs : inputs, table ? inputs : outputs,
          int8 ? Int8Of(rows) : FloatsOf(rows, outputs, inputs, table)};
}

// Adds the multiplier of a matrix's inputs. For an output layer that is a table it has another name.
void AddAlphas(const WeightSlot& slot, const std::string& name, const MarianTarget& target, std::vector<Item>& items) {
  const auto found = target.largest->find(std::get<Weight*>(slot.to)->floats().data());
  const float largest = found != target.largest->end() ? found->second : 0;
  const float alpha = largest > 0 ? 127 / largest : 1;
  Item item{name + "_QuantMultA", kFloat32, 1, 1, {}};
  Append(item.data, &alpha, 1);
  items.push_back(item);
  if (!IsTable(name) || name == "encoder_Wemb") return;
  item.name = "none_QuantMultA";
  items.push_back(std::move(item));
}

// Options that Marian requires although they have no effect on such a model.
constexpr const char* kOtherOptions =
    "bert-train-type-embeddings: true\nbert-type-vocab-size: 2\ndec-cell: ssru\ndec-cell-base-depth: 2\n"
    "dec-cell-high-depth: 1\ndim-rnn: 1024\nenc-cell: gru\nenc-cell-depth: 1\nenc-type: bidirectional\n"
    "factors-combine: sum\nfactors-dim-emb: 0\ninput-types:\n  []\nlayer-normalization: false\nlemma-dependency: \"\"\n"
    "lemma-dim-emb: 0\noutput-omit-bias: false\nright-left: false\nskip: false\ntied-embeddings-src: false\n"
    "transformer-aan-activation: swish\ntransformer-aan-depth: 2\ntransformer-aan-nogate: false\n"
    "transformer-decoder-ffn-depth: 0\ntransformer-dim-aan: 2048\ntransformer-ffn-depth: 2\n"
    "transformer-guided-alignment-layer: last\ntransformer-no-projection: false\ntransformer-pool: false\n"
    "transformer-tied-layers:\n  []\ntransformer-train-position-embeddings: false\ntype: transformer\nulr: false\n"
    "ulr-dim-emb: 0\nulr-trainable-transformation: false\nversion: v1.11.0\n";

std::string OptionsOf(const TransformerConfig& c, const MarianTarget& target) {
  std::string text = kOtherOptions;
  const auto add = [&](const char* key, const std::string& value) { text += std::string(key) + ": " + value + "\n"; };
  const auto yes = [](bool is) { return std::string(is ? "true" : "false"); };
  add("dim-emb", std::to_string(c.d_model));
  add("dim-vocabs", "\n  - " + std::to_string(MarianRows(target.source_pieces)) + "\n  - " +
                        std::to_string(MarianRows(target.target_pieces)));
  add("enc-depth", std::to_string(c.encoder_layers));
  add("dec-depth", std::to_string(c.decoder_layers));
  add("tied-embeddings", yes(!c.shared_embeddings && c.tied_output));
  add("tied-embeddings-all", yes(c.shared_embeddings && c.tied_output));
  add("transformer-decoder-autoreg", c.past == Past::kSsru ? "rnn" : "self-attention");
  add("transformer-dim-ffn", std::to_string(c.encoder_ffn));
  add("transformer-decoder-dim-ffn", std::to_string(c.decoder_ffn));
  add("transformer-ffn-activation", c.activation == Activation::kRelu ? "relu" : "swish");
  add("transformer-heads", std::to_string(c.encoder_heads));
  add("transformer-preprocess", c.pre_norm ? "n" : "\"\"");
  add("transformer-postprocess", c.pre_norm ? "da" : "dan");
  add("transformer-postprocess-emb", c.norm_embedding ? "nd" : "d");
  add("transformer-postprocess-top", c.norm_last ? "n" : "\"\"");
  return text;
}

void WriteFile(const std::vector<Item>& items, const ByteSink& out) {
  const auto padded = [](uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; };
  // The header: version, number of tensors, then four words for each of them.
  std::string head, names, shapes;
  const auto word = [&](uint64_t value) { Append(head, &value, 1); };
  word(1);
  word(items.size());
  for (const Item& item : items) {
    for (const uint64_t value : {uint64_t{item.name.size() + 1}, item.type, uint64_t{2}, padded(item.data.size())}) {
      word(value);
    }
    names += item.name + '\0';
    const int32_t shape[] = {static_cast<int32_t>(item.rows), static_cast<int32_t>(item.columns)};
    Append(shapes, shape, 2);
  }
  // Names and shapes, and padding up to the data.
  head += names + shapes;
  const uint64_t padding = padded(head.size() + sizeof(uint64_t)) - head.size() - sizeof(uint64_t);
  word(padding);
  out(head + std::string(padding, '\0'));
  // The data, each tensor padded.
  for (const Item& item : items) {
    out(item.data);
    out(std::string(padded(item.data.size()) - item.data.size(), '\0'));
  }
}

}  // namespace

Result<void> CheckForMarian(const TransformerConfig& config, bool int8) {
  const auto refuse = [](const char* field, const char* why) {
    return Error{ErrorCode::kUnsupported, std::string("Marian has no such model: ") + why,
                 std::string("config.json, ") + field};
  };
  if (config.frequencies != Frequencies::kMarian) {
    return refuse("position_frequencies", "its positions are those of \"marian\", by which a model can be trained");
  }
  if (!config.scaled_attention) return refuse("scale_attention", "its scores are divided by sqrt(d)");
  if (!config.scale_embedding) return refuse("scale_embedding", "its embeddings are times sqrt(d_model)");
  if (config.activation != Activation::kRelu && config.activation != Activation::kSilu) {
    return refuse("activation_function", "relu and swish are the activations that both engines have");
  }
  if (config.encoder_heads != config.decoder_heads) return refuse("decoder_attention_heads", "both sides have as many");
  if (config.pad != config.start) return refuse("decoder_start_token_id", "it begins with a row of zeros, <pad>");
  if (int8 && (config.d_model % kInt8Inputs != 0 || config.encoder_ffn % kInt8Inputs != 0 ||
               config.decoder_ffn % kInt8Inputs != 0)) {
    return refuse("d_model", "widths in int8 are multiples of 64, those of feed-forward networks too");
  }
  return {};
}

void WriteMarian(const WeightSlots& slots, const TransformerConfig& config, const MarianTarget& target,
                 const ByteSink& out) {
  std::vector<Item> items;
  for (const WeightSlot& slot : slots.slots) {
    const std::string name = MarianName(slot.names.front(), config);
    if (std::holds_alternative<Vector*>(slot.to)) {
      items.push_back(VectorOf(slot, name, target));
    } else {
      items.push_back(MatrixOf(slot, name, target));
      if (target.largest != nullptr) AddAlphas(slot, name, target, items);
    }
  }
  Item options{"special:model.yml", kInt8, 1, 0, OptionsOf(config, target) + '\0'};
  options.columns = options.data.size();
  items.push_back(std::move(options));
  WriteFile(items, out);
}

}  // namespace qkv
