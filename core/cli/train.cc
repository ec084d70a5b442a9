// qkv train: trains a model by a config, and writes a model folder.
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
#include "core/train/process_group.h"
#include "core/train/read_run_config.h"
#include "core/train/run.h"
#include "core/translate/translation.h"

namespace qkv::cli {
namespace {

struct TrainFlags {
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

// The number of threads: by default the processors of this machine, divided among its processes.
size_t ThreadsOf(const TrainFlags& options, const MpiRun& mpi) {
  if (options.threads_given || mpi.processes() == nullptr) return options.common.threads;
  const auto processors = static_cast<size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  // mpirun may have bound the process to some processors; the common default counts only these.
  return std::max<size_t>(1, std::min<size_t>(options.common.threads, processors / mpi.local_count()));
}

// With several processes the signal may have reached another one.
int ExitCode(const RunEnd& end) {
  if (end.kind == RunEnd::Kind::kStopped) return 128 + (signalled != 0 ? signalled : SIGTERM);
  return end.kind == RunEnd::Kind::kDiverged ? kFailed : 0;
}

// Prints how the run ended; returns the exit code.
int Report(const RunConfig& config, const std::string& folder, const RunEnd& end) {
  const std::string model = (std::filesystem::path(folder) / config.out / "model").string();
  const auto step = static_cast<unsigned long long>(end.step);
  switch (end.kind) {
    case RunEnd::Kind::kDone:
    case RunEnd::Kind::kPatience:
      std::printf("%s: trained for %llu steps, best at step %llu\n", model.c_str(), step,
                  static_cast<unsigned long long>(end.best_step));
      FlushOrFail();
      return 0;
    case RunEnd::Kind::kStopped:
      std::fprintf(stderr, "qkv: stopped at step %llu; go on with --resume\n", step);
      break;
    case RunEnd::Kind::kDiverged:
      std::fprintf(stderr,
                   "qkv: the loss is no longer a number after step %llu: the weights up to there are kept in the last "
                   "checkpoint; resume with a lower schedule.peak or a longer warm-up\n",
                   step);
  }
  return ExitCode(end);
}

// Ends this process with an error. If all processes have failed, only process 0 prints its error, and no process calls
// MPI_Abort: Open MPI's mpirun sometimes crashes after that call.
[[noreturn]] void FailTogether(const Error& error, const ProcessGroup& group, const MpiRun& mpi) {
  if (!group.all_failed()) Fail(error.ToString());
  if (group.first()) SayFailure(error.ToString());
  mpi.Finish();
  Fail("");
}

void Train(const TrainFlags& options) {
  // The config, in every process.
  constexpr size_t kLargest = size_t{1} << 20;
  const MpiRun mpi = MpiRun::Start();
  ProcessGroup group(mpi.processes());
  std::string text;
  const auto read = [&]() -> Result<RunConfig> {
    QKV_TRY(text, ReadWholeFile(options.config, kLargest));
    return ParseRunConfig(text, options.config);
  };
  Result<RunConfig> config = read();
  const Result<void> agreed = group.Agree(config ? Result<void>() : config.error());
  if (!agreed) FailTogether(agreed.error(), group, mpi);
  // The run.
  RunOptions run;
  run.resume = options.resume;
  run.group = &group;
  run.threads = ThreadsOf(options, mpi);
  run.news = Show;
  run.bleu = [threads = run.threads](const std::string& model, const std::vector<TextPair>& pairs) {
    return Bleu(model, pairs, threads);
  };
  run.stop = &stop;
  std::signal(SIGINT, Stop);
  std::signal(SIGTERM, Stop);
  if (group.count() > 1 && group.first()) {
    std::fprintf(stderr, "qkv: %zu processes, %zu batches an update; this one has %zu threads\n", group.count(),
                 group.count() * config->accumulate, run.threads);
  }
  const std::string folder = std::filesystem::path(options.config).parent_path().string();
  Result<RunEnd> result = Run(*config, text, folder, run);
  if (group.first() && isatty(STDERR_FILENO) != 0) std::fputc('\n', stderr);
  if (!result) FailTogether(result.error(), group, mpi);
  // Process 0 prints how the run ended before the others end, because mpirun kills the remaining processes soon after
  // one has failed.
  const int code = group.first() ? Report(*config, folder, *result) : ExitCode(*result);
  mpi.Finish();
  if (code != 0) Fail("", code);
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
  auto options = std::make_shared<TrainFlags>();
  CLI::App* command = app.add_subcommand("train", "Train a model as a config file says");
  command->add_option("config", options->config, "the run as JSON: its data, its model and its options")
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
