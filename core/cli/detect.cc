// qkv detect: prints for each line the languages that it may be in.
#include <unistd.h>

#include "core/cli/command.h"
#include "core/cli/lines.h"
#include "core/detect/language_model.h"

namespace qkv::cli {
namespace {

struct DetectFlags {
  std::string model;
  size_t top = 1;
};

void Detect(const DetectFlags& options) {
  const std::unique_ptr<LanguageModel> model = OrFail(LoadLanguageModel(options.model));
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  LineReader reader(STDIN_FILENO);
  constexpr size_t kLinesAtOnce = 64;
  for (auto lines = reader.Next(kLinesAtOnce); !lines.empty(); lines = reader.Next(kLinesAtOnce)) {
    for (const std::string& line : lines) {
      const std::vector<LanguageGuess> guesses = DetectLanguage(*model, ctx, line);
      if (guesses.empty()) std::fputs("und\t1.0000", stdout);
      for (size_t i = 0; i < std::min(options.top, guesses.size()); ++i) {
        const auto& [language, confidence] = guesses[i];
        std::printf("%s%s\t%.4f", i > 0 ? "\t" : "", model->config().languages[language].c_str(), confidence);
      }
      std::putchar('\n');
    }
    FlushOrFail();
  }
}

}  // namespace

void AddDetect(CLI::App& app) {
  auto options = std::make_shared<DetectFlags>();
  CLI::App* command =
      app.add_subcommand("detect", "Say which language each line is in: the tag, a tab, how sure the model is");
  command
      ->add_option("-m,--model", options->model,
                   "model folder by `qkv train`: config.json, ngrams.txt, model.safetensors")
      ->required()
      ->check(NotEmpty())
      ->type_name("FOLDER");
  command->add_option("--top", options->top, "how many languages, the likeliest first")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->callback([options] { Detect(*options); });
}

}  // namespace qkv::cli
