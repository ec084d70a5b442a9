// qkv inspect: describes a model folder.
#include <algorithm>

#include "core/base/json.h"
#include "core/cli/one_sided.h"
#include "core/io/files.h"
#include "core/models/any_sequence_model.h"
#include "core/models/rnn_config.h"
#include "core/models/transformer.h"
#include "core/translate/marian_folder.h"

namespace qkv::cli {
namespace {

struct InspectFlags {
  AnyCommon model;
  bool tensors = false;
};

void PrintSize(const LoadedSize& size) {
  std::printf("parameters   %zu\n", size.parameters);
  std::printf("memory       %.1f MB of weights\n", static_cast<double>(size.bytes) / 1e6);
}

void PrintTensors(const WeightSlots& slots) {
  for (const WeightSlot& slot : slots.slots) {
    std::printf("  %-60s [%zu", slot.names.front().c_str(), slot.outputs);
    if (std::holds_alternative<Weight*>(slot.to)) std::printf(", %zu", slot.inputs);
    std::printf("]\n");
  }
}

void InspectEncoder(EncoderModel& model, const LoadedSize& size, bool tensors) {
  const EncoderConfig& c = model.config();
  constexpr const char* kLayouts[] = {"BERT", "DistilBERT", "RoBERTa"};
  constexpr const char* kHeads[] = {"none", "masked words", "one label a text", "one label a piece", "answers"};
  std::printf("Transformer, encoder-only, post-norm, learned positions (%s layout)\n",
              kLayouts[static_cast<size_t>(c.layout)]);
  std::printf("encoder      %zu layers, %zu heads of %zu, feed-forward %zu\n", c.layers, c.heads, c.d_model / c.heads,
              c.ffn);
  std::printf("width        %zu\n", c.d_model);
  std::printf("vocabulary   %zu pieces\n", c.vocabulary);
  std::printf("positions    %zu\n", c.longest());
  PrintSize(size);
  std::printf("head         %s\n", kHeads[static_cast<size_t>(c.head)]);
  for (const std::string& label : c.labels) std::printf("             %s\n", label.c_str());
  if (tensors) PrintTensors(model.Slots());
}

void InspectGenerator(GeneratorModel& model, const LoadedSize& size, bool tensors) {
  const Gpt2Config& c = model.config();
  std::printf("Transformer, decoder-only, pre-norm, learned positions (GPT-2 layout)\n");
  std::printf("decoder      %zu layers, %zu heads of %zu, feed-forward %zu\n", c.layers, c.heads, c.d_model / c.heads,
              c.ffn);
  std::printf("width        %zu\n", c.d_model);
  std::printf("vocabulary   %zu pieces%s\n", c.vocabulary, c.tied_output ? ", tied to the output" : "");
  std::printf("positions    %zu\n", c.positions);
  PrintSize(size);
  if (tensors) PrintTensors(model.Slots());
}

void PrintTransformer(const TransformerConfig& c) {
  // In the order of Activation.
  constexpr const char* kActivations[] = {"none", "relu", "silu", "gelu", "gelu_new", "tanh", "quick_gelu"};
  const char* const activation = kActivations[static_cast<size_t>(c.activation)];
  const bool without = c.frequencies == Frequencies::kNone;
  std::printf("Transformer, encoder-decoder, %s-norm, %s positions (%s layout)\n", c.pre_norm ? "pre" : "post",
              without               ? "no"
              : c.trained_positions ? "trained"
                                    : "sinusoidal",
              c.frequencies == Frequencies::kMarian ? "Marian" : "MarianMT");
  // Differences from the paper are named; the rest is sizes.
  if (!c.scaled_attention) std::printf("scores       not divided by the root of the heads' width\n");
  std::printf("encoder      %zu layers, %zu heads of %zu, feed-forward %zu, %s\n", c.encoder_layers, c.encoder_heads,
              c.d_model / c.encoder_heads, c.encoder_ffn, activation);
  std::printf("decoder      %zu layers, %zu heads of %zu, feed-forward %zu, %s\n", c.decoder_layers, c.decoder_heads,
              c.d_model / c.decoder_heads, c.decoder_ffn, activation);
  if (c.past == Past::kSsru) std::printf("             reads its past by SSRUs\n");
  if (c.norm_embedding || c.norm_last) {
    std::printf("norms        also after %s\n", !c.norm_last        ? "the embeddings"
                                                : !c.norm_embedding ? "the last layers"
                                                                    : "the embeddings and the last layers");
  }
  std::printf("width        %zu\n", c.d_model);
  if (c.source_vocabulary != c.vocabulary) std::printf("source       %zu pieces\n", c.source_vocabulary);
  std::printf("vocabulary   %zu pieces%s%s\n", c.vocabulary, c.shared_embeddings ? ", shared by both sides" : "",
              c.tied_output ? ", tied to the output" : "");
}

void PrintRecurrent(const RnnConfig& c) {
  constexpr const char* kScores[] = {"dot", "general", "additive", "location"};
  std::printf("Recurrent encoder-decoder, %s, %s\n", kVariantNames[static_cast<size_t>(c.variant)].data(),
              c.cell == CellKind::kLstm ? "LSTM" : "GRU");
  std::printf("encoder      %zu layers%s%s\n", c.encoder_layers, c.bidirectional ? ", bidirectional" : "",
              c.reverse_source ? ", from the last piece to the first" : "");
  if (c.self_attention_heads != 0) std::printf("             self-attention, %zu heads\n", c.self_attention_heads);
  std::printf("decoder      %zu layers%s\n", c.decoder_layers, c.input_feeding ? ", input feeding" : "");
  if (c.attends()) {
    std::printf("attention    %s, %s", kScores[static_cast<size_t>(c.score)],
                kWindowNames[static_cast<size_t>(c.window)].data());
    if (c.half_width > 0) std::printf(", half width %g", c.half_width);
    std::printf("\n");
  }
  std::printf("width        %zu, embeddings %zu\n", c.d_model, c.d_embedding);
  std::printf("vocabulary   %zu pieces%s%s\n", c.vocabulary, c.shared_embeddings ? ", shared by both sides" : "",
              c.tied_output ? ", tied to the output" : "");
}

Result<void> PrintLayers(const TranslationModel& model, const std::string& folder) {
  if (IsMarianFolder(folder)) {
    PrintTransformer(static_cast<const Transformer&>(model.model()).config());
    return {};
  }
  QKV_TRY(const std::string text, ReadWholeFile(folder + "/config.json", kLargestConfig));
  QKV_TRY(const bool recurrent, IsRecurrent(text));
  if (recurrent) {
    QKV_TRY(const RnnConfig config, ParseRnnConfig(text));
    PrintRecurrent(config);
  } else {
    QKV_TRY(const TransformerConfig config, ParseTransformerConfig(text));
    PrintTransformer(config);
  }
  return {};
}

// Whether the weights of products are int8.
bool IsInt8(const WeightSlots& slots) {
  return std::any_of(slots.slots.begin(), slots.slots.end(), [](const WeightSlot& slot) {
    Weight* const* matrix = std::get_if<Weight*>(&slot.to);
    return matrix != nullptr && (*matrix)->quantized();
  });
}

void InspectTranslation(TranslationModel& translation, const std::string& folder, bool tensors) {
  const TranslationModel* const model = &translation;
  const SequenceConfig& c = model->config();
  const GenerationConfig& g = model->generation();
  CheckOrFail(PrintLayers(*model, folder));
  std::printf("positions    %zu\n", c.max_positions);
  std::printf("parameters   %zu\n", model->parameters());
  std::printf("memory       %.1f MB of weights\n", static_cast<double>(model->bytes()) / 1e6);
  std::printf("numbers      %s\n", IsInt8(translation.Slots()) ? "int8" : "floats");
  std::printf("decoding     beam %zu, length penalty %g, at most %zu pieces\n", g.beam,
              static_cast<double>(g.length_penalty), g.max_length);
  std::printf("shortlist    %s\n", model->has_shortlist() ? "yes" : "none");
  std::printf("alignment    ");
  if (g.alignment_heads.empty()) {
    std::printf("%s", c.cross.layers == 0 ? "none: it does not attend"
                                          : "no heads named; the mean of the last layer stands in");
  }
  for (const auto& [layer, head] : g.alignment_heads) std::printf("layer %zu head %zu  ", layer, head);
  std::printf("\n");
  if (tensors) PrintTensors(translation.Slots());
}

void Inspect(const InspectFlags& options) {
  LoadedFolder loaded = LoadAnyOrFail(options.model);
  if (auto* encoder = std::get_if<std::unique_ptr<EncoderModel>>(&loaded.model)) {
    InspectEncoder(**encoder, loaded.size, options.tensors);
  } else if (auto* generator = std::get_if<std::unique_ptr<GeneratorModel>>(&loaded.model)) {
    InspectGenerator(**generator, loaded.size, options.tensors);
  } else {
    InspectTranslation(*std::get<std::unique_ptr<TranslationModel>>(loaded.model), options.model.common.model,
                       options.tensors);
  }
}

}  // namespace

void AddInspect(CLI::App& app) {
  auto options = std::make_shared<InspectFlags>();
  CLI::App* command = app.add_subcommand("inspect", "Say what a model folder holds: layers, parameters, memory");
  AddAnyModel(*command, options->model, "of MarianMT, BERT, DistilBERT, RoBERTa or GPT-2");
  command->add_flag("--tensors", options->tensors, "every tensor with its shape");
  command->callback([options] { Inspect(*options); });
}

}  // namespace qkv::cli
