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
#include "core/cli/mpi_processes.h"
#include "core/evaluate/bleu.h"
#include "core/io/files.h"
#include "core/train/read_run_config.h"
#include "core/train/run.h"
#include "core/train/team.h"
#include "core/translate/translation.h"

namespace qkv::cli {
namespace {

struct Options {
  std::string config;
  bool resume = false, threads_given = false;
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

// The processors of this machine, divided among its processes, where nobody says how many threads to take.
size_t ThreadsOf(const Options& options, const StartedTogether& started) {
  if (options.threads_given || started.processes() == nullptr) return options.common.threads;
  const auto processors = static_cast<size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  // mpirun may have bound the process to some of them: then the common default counts these.
  return std::max<size_t>(1, std::min<size_t>(options.common.threads, processors / started.neighbours()));
}

// Says how the run ended, in the first process, and fails where it did not end well.
void Report(const RunConfig& config, const std::string& folder, const RunEnd& end, bool first) {
  const std::string model = (std::filesystem::path(folder) / config.out / "model").string();
  const auto step = static_cast<unsigned long long>(end.step);
  switch (end.kind) {
    case RunEnd::Kind::kDone:
    case RunEnd::Kind::kPatience:
      if (!first) return;
      std::printf("%s: trained for %llu steps, best at step %llu\n", model.c_str(), step,
                  static_cast<unsigned long long>(end.best_step));
      return;
    case RunEnd::Kind::kStopped:
      // Another process may have had the signal.
      Fail(first ? "stopped at step " + std::to_string(step) + "; go on with --resume" : "",
           128 + (signalled != 0 ? signalled : SIGTERM));
    case RunEnd::Kind::kDiverged:
      Fail(first
               ? "the loss is no longer a number after step " + std::to_string(step) +
                     ": the weights up to there are kept in the last checkpoint; resume with a lower schedule.peak or "
                     "a longer warm-up"
               : "");
  }
}

// The value of what all processes did. Where one failed, process 0 says which, and the others end without a message.
template <class T>
T OrFailTogether(Result<T> result, const StartedTogether& started) {
  if (!result && result.error().message == Team::kFirstSaysWhy) {
    started.Part();  // waits for process 0
    Fail("");
  }
  return OrFail(std::move(result));
}

void Train(const Options& options) {
  // The config, in every process.
  constexpr size_t kLargest = size_t{1} << 20;
  const StartedTogether started = StartedTogether::Join();
  Team team(started.processes());
  std::string text;
  const auto read = [&]() -> Result<RunConfig> {
    QKV_TRY(text, ReadWholeFile(options.config, kLargest));
    return ParseRunConfig(text, options.config);
  };
  Result<RunConfig> config = read();
  const Result<void> agreed = team.Agree(config ? Result<void>() : config.error());
  if (!agreed) OrFailTogether(Result<RunConfig>(agreed.error()), started);
  // The run.
  RunOptions run;
  run.resume = options.resume;
  run.processes = started.processes();
  run.threads = ThreadsOf(options, started);
  run.news = Show;
  run.bleu = [threads = run.threads](const std::string& model, const std::vector<TextPair>& pairs) {
    return Bleu(model, pairs, threads);
  };
  run.stop = &stop;
  std::signal(SIGINT, Stop);
  std::signal(SIGTERM, Stop);
  if (team.count() > 1 && team.first()) {
    std::fprintf(stderr, "qkv: %zu processes, %zu batches an update; this one has %zu threads\n", team.count(),
                 team.count() * config->accumulate, run.threads);
  }
  const std::string folder = std::filesystem::path(options.config).parent_path().string();
  Result<RunEnd> result = Run(*config, text, folder, run);
  if (team.first() && isatty(STDERR_FILENO) != 0) std::fputc('\n', stderr);
  const RunEnd end = OrFailTogether(std::move(result), started);
  started.Part();
  Report(*config, folder, end, team.first());
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
  command->callback([options, command] {
    options->threads_given = command->get_option("--threads")->count() > 0;
    Train(*options);
  });
}

}  // namespace qkv::cli
