// qkv generate: reads lines, and writes each with its continuation.
#include <unistd.h>

#include <optional>

#include "core/cli/intervene.h"
#include "core/cli/lines.h"
#include "core/cli/one_sided.h"
#include "core/cli/option_list.h"
#include "core/generate/generate_job.h"
#include "core/text/utf.h"

namespace qkv::cli {
namespace {

struct GenerateFlags {
  AnyCommon model;
  GenerateOptions generate;
  std::optional<float> temperature, top_p, penalty;  // without them the model's own
  std::optional<size_t> top_k;
  InterventionsFile interventions;
};

void Generate(GenerateFlags& options) {
  const auto model = LoadKindOrFail<GeneratorModel>(options.model, "generators: GPT-2");
  // The folder's own options, except those that are given here.
  GenerateOptions generate = options.generate;
  const uint64_t seed = generate.sampling.seed;
  generate.sampling = model->sampling();
  generate.sampling.seed = seed;
  if (options.temperature) generate.sampling.temperature = *options.temperature;
  if (options.top_k) generate.sampling.top_k = *options.top_k;
  if (options.top_p) generate.sampling.top_p = *options.top_p;
  if (options.penalty) generate.sampling.repetition_penalty = *options.penalty;
  options.interventions.Read(ChangeablePlaces::OfDecoder(model->config().layers, model->config().heads));
  generate.changes = options.interventions.changes();
  // Line by line.
  Arena arena;
  ThreadPool pool(options.model.common.threads);
  Context ctx{arena, pool};
  LineReader reader(STDIN_FILENO);
  size_t number = 0;
  for (auto lines = reader.Next(1); !lines.empty(); lines = reader.Next(1)) {
    const std::string prompt = ToValidUtf8(lines.front());
    generate.sentence = number;
    GenerateJob job(*model, prompt, generate);
    Finish(job, ctx);
    std::string text = prompt + job.text();
    for (char& c : text) c = c == '\n' ? ' ' : c;  // one line of output for one line of input
    std::puts(text.c_str());
    ++number;
    if (job.truncated()) {
      std::fprintf(stderr, "qkv: line %zu is longer than the model's %zu positions; its beginning was not read\n",
                   number, model->config().positions);
    }
    FlushOrFail();
  }
}

}  // namespace

void AddGenerate(CLI::App& app) {
  auto options = std::make_shared<GenerateFlags>();
  CLI::App* command = app.add_subcommand("generate", "Continue each line of standard input");
  AddAnyModel(*command, options->model, "config.json, model.safetensors or pytorch_model.bin, tokenizer.json");
  AddListed(*command, "generate", "maxLength", options->generate.max_length, "--length");
  AddListed(*command, "generate", "temperature", options->temperature);
  AddListed(*command, "generate", "topK", options->top_k);
  AddListed(*command, "generate", "topP", options->top_p);
  AddListed(*command, "generate", "repetitionPenalty", options->penalty);
  AddListed(*command, "generate", "stop", options->generate.stops);
  AddListed(*command, "generate", "seed", options->generate.sampling.seed);
  AddListed(*command, "generate", "promptLookup", options->generate.prompt_lookup);
  options->interventions.AddTo(*command, "generate");
  AddThreads(*command, options->model.common);
  command->callback([options] { Generate(*options); });
}

}  // namespace qkv::cli
