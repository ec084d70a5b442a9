#include "core/train/one_sided_presets.h"

#include <algorithm>
#include <array>

#include "core/train/config_json.h"

namespace qkv {
namespace {

// Heads of 64 columns, a feed-forward network four times as wide as the model.
constexpr size_t kHeadDim = 64, kWider = 4, kPositions = 256;
struct Shape {
  size_t layers, d;
};
constexpr std::array<std::string_view, 5> kNames = {"tiny", "mini", "small", "medium", "base"};
constexpr std::array<Shape, 5> kShapes = {{{2, 128}, {4, 256}, {4, 512}, {8, 512}, {12, 768}}};
constexpr double kDropout = 0.1;

Shape ShapeOf(const std::string& preset) {
  const auto found = std::find(kNames.begin(), kNames.end(), preset);
  return kShapes[static_cast<size_t>(found - kNames.begin())];
}

// Fields of GPT-2's config.json (Radford et al. 2019), as Hugging Face names them.
void SetGpt2(ConfigJson& json, const Shape& shape, int32_t end) {
  json.SetArchitecture("GPT2LMHeadModel");
  json.Set("model_type", "gpt2");
  json.Set("n_embd", shape.d);
  json.Set("n_layer", shape.layers);
  json.Set("n_head", shape.d / kHeadDim);
  json.Set("n_inner", kWider * shape.d);
  json.Set("n_positions", kPositions);
  json.Set("activation_function", "gelu_new");
  json.Set("layer_norm_epsilon", 1e-5);
  for (const char* name : {"embd_pdrop", "resid_pdrop", "attn_pdrop"}) json.Set(name, kDropout);
  json.Set("tie_word_embeddings", true);
  for (const char* name : {"bos_token_id", "eos_token_id"}) json.Set(name, end);
}

// Fields of BERT's (Devlin et al. 2019).
void SetBert(ConfigJson& json, const Shape& shape) {
  json.Set("model_type", "bert");
  json.Set("hidden_size", shape.d);
  json.Set("num_hidden_layers", shape.layers);
  json.Set("num_attention_heads", shape.d / kHeadDim);
  json.Set("intermediate_size", kWider * shape.d);
  json.Set("max_position_embeddings", kPositions);
  json.Set("type_vocab_size", size_t{1});
  json.Set("hidden_act", "gelu");
  json.Set("layer_norm_eps", 1e-12);
  for (const char* name : {"hidden_dropout_prob", "attention_probs_dropout_prob"}) json.Set(name, kDropout);
}

const char* ArchitectureOf(Task task) {
  return task == Task::kMasked     ? "BertForMaskedLM"
         : task == Task::kClassify ? "BertForSequenceClassification"
                                   : "BertForTokenClassification";
}

Error Lacks(const char* piece, const char* what) {
  return {ErrorCode::kInvalidArgument, std::string("has no piece ") + piece + ", " + what, "tokenizer.json"};
}

}  // namespace

std::span<const std::string_view> OneSidedPresets() { return kNames; }

int32_t EndOfText(const Tokenizer& tokenizer) { return std::max(tokenizer.Id("<|endoftext|>"), tokenizer.Id("</s>")); }

Result<std::string> OneSidedConfigOf(const RunConfig& run, const Tokenizer& tokenizer) {
  ConfigJson json;
  // Each task needs some pieces of the tokenizer.
  if (run.task == Task::kContinue) {
    const int32_t end = EndOfText(tokenizer);
    if (end < 0) return Lacks("<|endoftext|>", "which begins and ends a text");
    SetGpt2(json, ShapeOf(run.preset), end);
  } else {
    if (run.task == Task::kMasked && tokenizer.Id("[MASK]") < 0) return Lacks("[MASK]", "which hides the others");
    if (tokenizer.Id("[CLS]") < 0) return Lacks("[CLS]", "which is put before a text");
    json.SetArchitecture(ArchitectureOf(run.task));
    SetBert(json, ShapeOf(run.preset));
    json.Set("pad_token_id", std::max(tokenizer.Id("[PAD]"), 0));
    if (!run.labels.empty()) json.SetLabels(run.labels);
  }
  json.Set("vocab_size", tokenizer.size());
  QKV_CHECK(json.Change(run.model));
  return json.Text();
}

std::string SamplingConfigOf(int32_t end) {
  const std::string id = std::to_string(end);
  return "{\n  \"bos_token_id\": " + id + ",\n  \"eos_token_id\": " + id +
         ",\n  \"do_sample\": true,\n  \"temperature\": 0.8,\n  \"top_k\": 50,\n  \"top_p\": 0.95\n}\n";
}

}  // namespace qkv
