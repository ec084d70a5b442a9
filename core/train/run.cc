#include "core/train/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/io/files.h"
#include "core/io/folder_lock.h"
#include "core/io/safetensors_writer.h"
#include "core/train/checkpoint.h"
#include "core/train/initialise.h"
#include "core/train/language_task.h"
#include "core/train/run_log.h"
#include "core/train/training_task.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

Result<std::unique_ptr<TrainingTask>> MakeTask(const RunConfig& run, const std::string& folder) {
  if (run.task != Task::kLanguage) return MakeTrainingTask(run, folder);
  return MakeLanguageTask(run, (fs::path(folder) / run.vocabulary).string());
}

// Starts the clock with the time of earlier parts of the run.
class Clock {
 public:
  explicit Clock(double before) : before_(before) {}
  double seconds() const {
    return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double before_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Runner {
 public:
  Runner(const RunConfig& config, std::string folder, const RunOptions& options)
      : config_(config), folder_(std::move(folder)), options_(options) {}

  Result<RunEnd> Run(const std::string& config_text) {
    QKV_CHECK(MakeFolder(config_text));
    QKV_CHECK(MakeModel());
    QKV_CHECK(OpenData());
    trainer_ = std::make_unique<Trainer>(task_->trainable(), task_->Slots(), task_->start(), config_.trainer,
                                         options_.threads);
    QKV_CHECK(ResumeIfAsked());
    QKV_TRY(RunLog log, RunLog::Open(out_, place_.step));
    log_ = std::make_unique<RunLog>(std::move(log));
    return Loop();
  }

 private:
  std::string At(const std::string& path) const { return (fs::path(folder_) / path).string(); }

  Result<void> MakeFolder(const std::string& config_text) {
    out_ = At(config_.out);
    QKV_TRY(FolderLock lock, FolderLock::Take(out_));
    lock_.emplace(std::move(lock));
    if (!options_.resume && LatestCheckpoint(out_)) {
      return Error{ErrorCode::kInvalidArgument,
                   "holds the checkpoint of a run: resume it, or give this one a folder of its own", out_};
    }
    return WriteWholeFile(out_ + "/run.json", config_text);
  }

  Result<void> MakeModel() {
    QKV_TRY(task_, MakeTask(config_, folder_));
    if (config_.batch.longest > task_->max_positions()) {
      return Error{ErrorCode::kInvalidArgument,
                   "is more than the model's " + std::to_string(task_->max_positions()) + " positions",
                   "batch.longest"};
    }
    WeightSlots slots = task_->Slots();
    ReserveFloats(slots);
    Parameters parameters(slots, /*gradients=*/false);
    Initialise(parameters, config_.seed);
    if (!config_.from.empty()) QKV_CHECK(task_->Begin(At(config_.from), parameters));
    if (task_->start() != Trainer::kNoStart) parameters.ClearStart(static_cast<size_t>(task_->start()));
    return {};
  }

  Result<std::unique_ptr<Corpus>> OpenCorpus(const CorpusFiles& files) const {
    QKV_TRY(std::unique_ptr<TextSource> source, TextOfFile(At(files.source)));
    std::unique_ptr<TextSource> target;
    if (!files.target.empty()) {
      QKV_TRY(target, TextOfFile(At(files.target)));
    }
    return Corpus::Open(std::move(source), std::move(target), files.options);
  }

  Result<void> OpenData() {
    std::vector<std::unique_ptr<Corpus>> corpora;
    for (const CorpusFiles& files : config_.corpora) {
      QKV_TRY(std::unique_ptr<Corpus> corpus, OpenCorpus(files));
      QKV_TRY(std::vector<TextPair> held, corpus->HeldOut(config_.measure_pairs));
      if (config_.dev.empty()) dev_.insert(dev_.end(), held.begin(), held.end());
      corpora.push_back(std::move(corpus));
    }
    if (!config_.dev.empty()) {
      const CorpusOptions options = {.column = config_.corpora.front().options.column};
      QKV_TRY(const std::unique_ptr<Corpus> dev, OpenCorpus({config_.dev, "", options}));
      QKV_TRY(dev_, dev->All(config_.measure_pairs));
    }
    if (dev_.size() > config_.measure_pairs) dev_.resize(config_.measure_pairs);
    const Examples& examples = task_->examples();
    QKV_TRY(dev_batches_, BatchesOf(dev_, examples, config_.batch.tokens, config_.batch.longest));
    QKV_TRY(BatchStream stream, BatchStream::Open(std::move(corpora), examples, config_.batch));
    stream_ = std::make_unique<BatchStream>(std::move(stream));
    return {};
  }

  Result<void> ResumeIfAsked() {
    if (!options_.resume || !LatestCheckpoint(out_)) return {};
    QKV_TRY(place_, LoadCheckpoint(out_, *trainer_));
    return stream_->Seek(place_.batches);
  }

  bool Stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  Result<RunEnd> Loop() {
    const Clock clock(place_.seconds);
    Loss since;
    double since_seconds = place_.seconds;
    uint64_t since_tokens = place_.tokens;
    std::vector<Batch> batches(config_.accumulate);
    while (place_.step < config_.steps) {
      for (Batch& batch : batches) {
        QKV_CHECK(stream_->Next(&batch));
        place_.tokens += batch.tokens();
      }
      const Trainer::Report report = trainer_->Step(batches);
      if (!report.finite) return Diverged(report);
      place_.step = report.step;
      since += report.loss;
      const bool done = place_.step == config_.steps, stopped = !done && Stopped(), last = done || stopped;
      const double now = clock.seconds();
      place_.seconds = now;
      if (last || place_.step % config_.log_every == 0) {
        const double speed = static_cast<double>(place_.tokens - since_tokens) / std::max(now - since_seconds, 1e-9);
        QKV_CHECK(Note(report, since, speed));
        since = {};
        since_seconds = now;
        since_tokens = place_.tokens;
      }
      if (!stopped && (last || place_.step % config_.measure_every == 0)) {
        QKV_CHECK(Measure());
        since_seconds = clock.seconds();
      }
      if (last || place_.step % config_.checkpoint_every == 0) {
        place_.averaged = trainer_->averaged();
        place_.batches = stream_->State();
        QKV_CHECK(SaveCheckpoint(out_, *trainer_, place_));
      }
      if (stopped) return End(RunEnd::Kind::kStopped);
      if (config_.patience > 0 && place_.measured_since >= config_.patience) return End(RunEnd::Kind::kPatience);
    }
    return End(RunEnd::Kind::kDone);
  }

  RunEnd End(RunEnd::Kind kind) const { return {kind, place_.step, place_.best_step, place_.best}; }

  Result<RunEnd> Diverged(const Trainer::Report& report) {
    QKV_CHECK(log_->Add("diverged", report.step, {{"rate", report.rate}}));
    return End(RunEnd::Kind::kDiverged);
  }

  Result<void> Note(const Trainer::Report& report, const Loss& since, double speed) {
    RunNews news;
    news.step = place_.step;
    news.steps = config_.steps;
    news.loss = since.smoothed / static_cast<double>(since.pieces);
    news.rate = report.rate;
    news.tokens_per_second = speed;
    news.seconds_left =
        place_.seconds / static_cast<double>(place_.step) * static_cast<double>(config_.steps - place_.step);
    if (options_.news) options_.news(news);
    return log_->Add("step", place_.step,
                     {{"loss", news.loss},
                      {"nll", since.negative / static_cast<double>(since.pieces)},
                      {"rate", report.rate},
                      {"gradient", report.gradient},
                      {"tokens_per_second", speed},
                      {"tokens", static_cast<double>(place_.tokens)},
                      {"epochs", stream_->epochs()},
                      {"seconds", place_.seconds}});
  }

  // Measures the mean of the weights if there is one, and writes the model if it is the best so far.
  Result<void> Measure() {
    const bool swap = trainer_->has_average();
    if (swap) trainer_->SwapAverage();
    const Result<void> measured = MeasureAsIs();
    if (swap) trainer_->SwapAverage();
    QKV_CHECK(measured);
    return log_->Draw();
  }

  Result<void> MeasureAsIs() {
    if (dev_batches_.empty()) return WriteModel(out_ + "/model");
    const Loss loss = trainer_->Measure(dev_batches_);
    const double per_piece = loss.negative / static_cast<double>(loss.pieces);
    RunLog::Values values = {{"loss", per_piece}, {"perplexity", std::exp(per_piece)}};
    RunNews news;
    news.step = place_.step;
    news.steps = config_.steps;
    news.measured = true;
    news.dev_loss = per_piece;
    double value = -per_piece;
    if (config_.by_bleu && options_.bleu) {
      QKV_CHECK(WriteModel(out_ + "/last"));
      QKV_TRY(news.dev_bleu, options_.bleu(out_ + "/last", dev_));
      values.emplace_back("bleu", news.dev_bleu);
      value = news.dev_bleu;
    }
    QKV_CHECK(log_->Add("measure", place_.step, values));
    if (options_.news) options_.news(news);
    const bool better = place_.best_step == 0 || value > place_.best;
    ++place_.measured_since;
    if (!better) return {};
    place_.best = value;
    place_.best_step = place_.step;
    place_.measured_since = 0;
    return WriteModel(out_ + "/model");
  }

  Result<void> WriteModel(const std::string& to) {
    std::error_code error;
    fs::create_directories(to, error);
    if (error) return Error{ErrorCode::kInvalidFile, "cannot be made: " + error.message(), to};
    for (const auto& [name, content] : task_->files()) {
      if (!content.empty()) QKV_CHECK(WriteWholeFile(to + "/" + name, content));
    }
    return WriteWholeFile(to + "/model.safetensors",
                          [&](const ByteSink& out) { WriteSafetensors(task_->Slots(), FloatsAs::kF16, out); });
  }

  const RunConfig& config_;
  std::string folder_, out_;
  std::optional<FolderLock> lock_;  // of out_
  const RunOptions& options_;
  std::unique_ptr<TrainingTask> task_;
  std::vector<TextPair> dev_;
  std::vector<Batch> dev_batches_;
  std::unique_ptr<BatchStream> stream_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<RunLog> log_;
  RunPlace place_;
};

}  // namespace

Result<RunEnd> Run(const RunConfig& config, const std::string& config_text, const std::string& folder,
                   const RunOptions& options) {
  Runner runner(config, folder, options);
  return runner.Run(config_text);
}

}  // namespace qkv
