// qkv train: trains a model as a config says, and writes a model folder.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <set>

#include "core/base/json.h"
#include "core/cli/command.h"
#include "core/evaluate/bleu.h"
#include "core/io/files.h"
#include "core/train/read_run_config.h"
#include "core/train/run.h"
#include "core/translate/translation.h"

namespace qkv::cli {
namespace {

struct Options {
  std::string config;
  bool resume = false;
  Common common;
};

std::atomic<bool> stop = false;
volatile std::sig_atomic_t signalled = 0;
void Stop(int signal) {
  signalled = signal;
  stop = true;
  std::signal(signal, SIG_DFL);  // a second signal ends the process immediately
}

std::string Left(double seconds) {
  const auto minutes = static_cast<long>(seconds / 60);
  char text[32];
  std::snprintf(text, sizeof text, "%ld:%02ld h left", minutes / 60, minutes % 60);
  return text;
}

// Prints progress: one line that is rewritten on a terminal, otherwise one line each. Measurements always get their own
// line.
void Show(const RunNews& news) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (news.measured) {
    std::fprintf(stderr, "%sstep %llu: held-out loss %.4f, perplexity %.2f", terminal ? "\r\033[K" : "",
                 static_cast<unsigned long long>(news.step), news.dev_loss, std::exp(news.dev_loss));
    if (news.dev_bleu > 0) std::fprintf(stderr, ", BLEU %.2f", news.dev_bleu);
    std::fputc('\n', stderr);
    return;
  }
  std::fprintf(stderr, "%sstep %llu of %llu, loss %.4f, %.0f tokens/s, %s%s", terminal ? "\r\033[K" : "",
               static_cast<unsigned long long>(news.step), static_cast<unsigned long long>(news.steps), news.loss,
               news.tokens_per_second, Left(news.seconds_left).c_str(), terminal ? "" : "\n");
  std::fflush(stderr);
}

// BLEU of greedy translations. A beam improves all models by about the same amount.
Result<double> Bleu(const std::string& folder, const std::vector<TextPair>& pairs, size_t threads) {
  QKV_TRY(const std::unique_ptr<TranslationModel> model, LoadFolder(folder, false));
  Arena arena;
  ThreadPool pool(threads);
  Context ctx{arena, pool};
  std::vector<std::string> sources;
  sources.reserve(pairs.size());
  for (const TextPair& pair : pairs) sources.push_back(pair.source);
  TranslationJob job(*model, sources, {.beam = 1, .copy = false});
  while (!job.Step(ctx)) continue;
  QKV_CHECK(job.outcome());
  BleuCounts counts;
  for (size_t i = 0; i < pairs.size(); ++i) counts += CountBleu(job.results()[i].text, pairs[i].target);
  return ScoreBleu(counts).score;
}

void Train(const Options& options) {
  constexpr size_t kLargest = size_t{1} << 20;
  const std::string text = OrFail(ReadWholeFile(options.config, kLargest));
  const RunConfig config = OrFail(ParseRunConfig(text, options.config));
  RunOptions run;
  run.resume = options.resume;
  run.threads = options.common.threads;
  run.news = Show;
  run.bleu = [threads = run.threads](const std::string& model, const std::vector<TextPair>& pairs) {
    return Bleu(model, pairs, threads);
  };
  run.stop = &stop;
  std::signal(SIGINT, Stop);
  std::signal(SIGTERM, Stop);
  const std::string folder = std::filesystem::path(options.config).parent_path().string();
  Result<RunEnd> result = Run(config, text, folder, run);
  if (isatty(STDERR_FILENO) != 0) std::fputc('\n', stderr);
  const RunEnd end = OrFail(std::move(result));
  const std::string model = (std::filesystem::path(folder) / config.out / "model").string();
  const auto step = static_cast<unsigned long long>(end.step);
  switch (end.kind) {
    case RunEnd::Kind::kDone:
    case RunEnd::Kind::kPatience:
      std::printf("%s: trained for %llu steps, best at step %llu\n", model.c_str(), step,
                  static_cast<unsigned long long>(end.best_step));
      return;
    case RunEnd::Kind::kStopped:
      Fail("stopped at step " + std::to_string(step) + "; go on with --resume", 128 + signalled);
    case RunEnd::Kind::kDiverged:
      Fail("the loss is no longer a number after step " + std::to_string(step) +
           ": the weights up to there are kept in the last checkpoint; resume with a lower schedule.peak or a longer "
           "warm-up");
  }
}

// The config's fields as a JSON list; tests/cli/options.test.js compares it with the types and the docs.
void PrintFields() {
  using Kind = ConfigField::Kind;
  std::set<std::string> in_memory;  // the fields that JavaScript has too
  for (const ConfigField& field : RunConfigFields(DataIn::kMemory)) in_memory.insert(field.path);
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  json.StartArray();
  for (const ConfigField& field : RunConfigFields(DataIn::kFiles)) {
    constexpr const char* kKinds[] = {"whole", "number", "choice", "text", "other"};
    json.StartObject();
    json.Key("name");
    json.String(field.path.c_str());
    json.Key("kind");
    json.String(kKinds[static_cast<size_t>(field.kind)]);
    if (field.kind == Kind::kWhole || field.kind == Kind::kNumber) {
      json.Key("least");
      json.Double(field.least);
      json.Key("most");
      json.Double(field.most);
      json.Key("absent");
      json.Double(field.absent);
    }
    if (field.kind == Kind::kChoice) {
      json.Key("names");
      json.StartArray();
      for (const std::string_view name : field.names) json.String(name.data(), static_cast<unsigned>(name.size()));
      json.EndArray();
      json.Key("absent");
      json.String(std::string(field.names[static_cast<size_t>(field.absent)]).c_str());
    }
    json.Key("javascript");
    json.Bool(in_memory.contains(field.path));
    json.EndObject();
  }
  json.EndArray();
  std::puts(buffer.GetString());
}

}  // namespace

void AddTrain(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("train", "Train a model as a config file says");
  command->add_option("config", options->config, "the run: what to learn from, what to train and how (JSON)")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_flag("--resume", options->resume, "go on from the run's latest checkpoint, if it has one");
  const auto fields = [] {
    PrintFields();
    throw CLI::Success();
  };
  command
      ->add_flag_callback("--fields", fields, "print the config's fields with their ranges as JSON, and train nothing")
      ->trigger_on_parse();
  AddThreads(*command, options->common);
  command->callback([options] { Train(*options); });
}

}  // namespace qkv::cli
