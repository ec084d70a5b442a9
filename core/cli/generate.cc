// qkv generate: reads lines, and writes each with its continuation.
#include <unistd.h>

#include "core/cli/lines.h"
#include "core/cli/one_sided.h"
#include "core/generate/generate_job.h"
#include "core/text/utf.h"

namespace qkv::cli {
namespace {

struct Options {
  AnyCommon model;
  GenerateOptions generate;
  double temperature = -1, top_p = -1, penalty = -1;
  int64_t top_k = -1;
};

void Generate(const Options& options) {
  const auto model = LoadKindOrFail<GeneratorModel>(options.model, "generators: GPT-2");
  GenerateOptions generate = options.generate;
  const uint64_t seed = generate.sampling.seed;
  generate.sampling = model->sampling();
  generate.sampling.seed = seed;
  if (options.temperature >= 0) generate.sampling.temperature = static_cast<float>(options.temperature);
  if (options.top_k >= 0) generate.sampling.top_k = static_cast<size_t>(options.top_k);
  if (options.top_p >= 0) generate.sampling.top_p = static_cast<float>(options.top_p);
  if (options.penalty >= 0) generate.sampling.repetition_penalty = static_cast<float>(options.penalty);
  Arena arena;
  ThreadPool pool(options.model.common.threads);
  Context ctx{arena, pool};
  LineReader reader(STDIN_FILENO);
  size_t number = 0;
  for (auto lines = reader.Next(1); !lines.empty(); lines = reader.Next(1)) {
    const std::string prompt = ToValidUtf8(lines.front());
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
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("generate", "Continue each line of standard input");
  AddAnyModel(*command, options->model, "config.json, model.safetensors or pytorch_model.bin, tokenizer.json");
  command
      ->add_option("--length", options->generate.most,
                   "most pieces written; a prompt is kept whole and may leave fewer")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--temperature", options->temperature, "0: always the likeliest piece [the model's own]")
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--top-k", options->top_k, "draw from so many of the likeliest; 0: all [the model's own]")
      ->check(CLI::Range(0, 1 << 30));
  command->add_option("--top-p", options->top_p, "draw from the fewest that have this probability [the model's own]")
      ->check(CLI::Range(1e-9, 1.0));
  command
      ->add_option("--repetition-penalty", options->penalty, "above 1: what was said is less likely [the model's own]")
      ->check(CLI::Range(0.01, 100.0));
  command->add_option("--stop", options->generate.stops, "end before this text; may be given several times");
  command->add_option("--seed", options->generate.sampling.seed, "the same seed draws the same")->capture_default_str();
  AddThreads(*command, options->model.common);
  command->callback([options] { Generate(*options); });
}

}  // namespace qkv::cli
