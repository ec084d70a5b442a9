// qkv inspect: what is in a model folder.
#include "core/cli/command.h"

namespace qkv::cli {
namespace {

struct Options {
  Common common;
  bool tensors = false;
};

void PrintTensors(const TranslationModel& model) {
  Transformer seats(model.config());  // names and shapes alone: no weight is copied
  for (const WeightSlot& slot : seats.Slots().slots) {
    std::printf("  %-60s [%zu", slot.names.front().c_str(), slot.outputs);
    if (std::holds_alternative<Weight*>(slot.to)) std::printf(", %zu", slot.inputs);
    std::printf("]\n");
  }
}

void Inspect(const Options& options) {
  const std::unique_ptr<TranslationModel> model = LoadOrFail(options.common.model);
  const TransformerConfig& c = model->config();
  const GenerationConfig& g = model->generation();
  const char* activation = c.activation == Activation::kRelu ? "relu" : "silu";
  std::printf("Transformer, encoder-decoder, post-norm, sinusoidal positions (MarianMT layout)\n");
  std::printf("encoder      %zu layers, %zu heads of %zu, feed-forward %zu, %s\n", c.encoder_layers, c.encoder_heads,
              c.d_model / c.encoder_heads, c.encoder_ffn, activation);
  std::printf("decoder      %zu layers, %zu heads of %zu, feed-forward %zu, %s\n", c.decoder_layers, c.decoder_heads,
              c.d_model / c.decoder_heads, c.decoder_ffn, activation);
  std::printf("width        %zu\n", c.d_model);
  std::printf("vocabulary   %zu pieces%s%s\n", c.vocabulary, c.shared_embeddings ? ", shared by both sides" : "",
              c.tied_output ? ", tied to the output" : "");
  std::printf("positions    %zu\n", c.max_positions);
  std::printf("parameters   %zu\n", model->parameters());
  std::printf("memory       %.1f MB of weights\n", static_cast<double>(model->bytes()) / 1e6);
  std::printf("decoding     beam %zu, length penalty %g, at most %zu pieces\n", g.beam,
              static_cast<double>(g.length_penalty), g.max_length);
  std::printf("shortlist    %s\n", model->has_shortlist() ? "yes" : "none");
  std::printf("alignment    ");
  if (g.alignment_heads.empty()) std::printf("no heads named; the mean of the last layer stands in");
  for (const auto& [layer, head] : g.alignment_heads) std::printf("layer %zu head %zu  ", layer, head);
  std::printf("\n");
  if (options.tensors) PrintTensors(*model);
}

}  // namespace

void AddInspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inspect", "Say what a model folder holds: layers, parameters, memory");
  AddModel(*command, options->common);
  command->add_flag("--tensors", options->tensors, "every tensor with its shape");
  command->callback([options] { Inspect(*options); });
}

}  // namespace qkv::cli
