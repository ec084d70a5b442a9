#include "core/train/run.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/io/files.h"
#include "core/io/folder_lock.h"
#include "core/io/safetensors_writer.h"
#include "core/train/checkpoint.h"
#include "core/train/gradient_sum.h"
#include "core/train/initialise.h"
#include "core/train/int4_weights.h"
#include "core/train/language_task.h"
#include "core/train/process_group.h"
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

// The weights' bits; processes compare them.
uint64_t HashOf(const Parameters& parameters) {
  uint64_t hash = kHashBasis;
  for (const LearntParameter& p : parameters.all()) {
    for (size_t i = 0; i < p.size; ++i) hash = (hash ^ std::bit_cast<uint32_t>(p.value[i])) * 0x9E3779B97F4A7C15u;
  }
  return hash;
}

class Runner {
 public:
  Runner(const RunConfig& config, std::string folder, const RunOptions& options)
      : config_(config),
        folder_(std::move(folder)),
        options_(options),
        group_(options.group != nullptr ? *options.group : alone_) {}

  Result<RunEnd> Run(const std::string& config_text) {
    out_ = At(config_.out);
    QKV_CHECK(group_.Agree(Open(config_text)));
    QKV_CHECK(group_.CheckSame(stream_->State().fingerprint, "has other training data than process 0"));
    QKV_CHECK(group_.Agree(ResumeIfAsked()));
    QKV_CHECK(BroadcastState());
    QKV_CHECK(group_.Agree(OpenLog()));
    return Loop();
  }

 private:
  // The steps before the first update that a process does alone.
  Result<void> Open(const std::string& config_text) {
    if (group_.first()) QKV_CHECK(MakeFolder(config_text));
    QKV_CHECK(MakeModel());
    QKV_CHECK(OpenData());
    trainer_ = std::make_unique<Trainer>(task_->trainable(), task_->Slots(), task_->start(), config_.trainer,
                                         options_.threads);
    if (config_.int4) {
      trainer_->set_pass_weights(std::make_unique<Int4Weights>(task_->Slots(), options_.threads));
    }
    if (group_.processes() != nullptr) {
      sum_ = std::make_unique<GradientSum>(*group_.processes(), *trainer_, config_.wire);
    }
    return {};
  }

  Result<void> OpenLog() {
    if (!group_.first()) return {};
    QKV_TRY(RunLog log, RunLog::Open(out_, place_.step));
    log_ = std::make_unique<RunLog>(std::move(log));
    return {};
  }

  std::string At(const std::string& path) const { return (fs::path(folder_) / path).string(); }

  Result<void> MakeFolder(const std::string& config_text) {
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
    // The corpora, each with its held-out pairs.
    std::vector<std::unique_ptr<Corpus>> corpora;
    for (const CorpusFiles& files : config_.corpora) {
      QKV_TRY(std::unique_ptr<Corpus> corpus, OpenCorpus(files));
      QKV_TRY(std::vector<TextPair> held, corpus->HeldOut(config_.measure_pairs));
      if (config_.dev.empty()) dev_.insert(dev_.end(), held.begin(), held.end());
      corpora.push_back(std::move(corpus));
    }
    // A separate file for measuring replaces them.
    if (!config_.dev.empty()) {
      const CorpusOptions options = {.column = config_.corpora.front().options.column};
      QKV_TRY(const std::unique_ptr<Corpus> dev, OpenCorpus({config_.dev, "", options}));
      QKV_TRY(dev_, dev->All(config_.measure_pairs));
    }
    if (dev_.size() > config_.measure_pairs) dev_.resize(config_.measure_pairs);
    // Batches to measure by, made once, and a stream of batches to learn from.
    const Examples& examples = task_->examples();
    QKV_TRY(dev_batches_, BatchesOf(dev_, examples, config_.batch.tokens, config_.batch.longest));
    measures_ = !dev_batches_.empty();
    KeepShare(dev_batches_);
    QKV_TRY(BatchStream stream, BatchStream::Open(std::move(corpora), examples, config_.batch));
    stream_ = std::make_unique<BatchStream>(std::move(stream));
    return {};
  }

  // Keeps the batches for measuring that belong to this process.
  void KeepShare(std::vector<Batch>& batches) const {
    std::vector<Batch> mine;
    for (size_t i = group_.rank(); i < batches.size(); i += group_.count()) mine.push_back(std::move(batches[i]));
    batches = std::move(mine);
  }

  Result<void> ResumeIfAsked() {
    if (!group_.first() || !options_.resume || !LatestCheckpoint(out_)) return {};
    QKV_TRY(place_, LoadCheckpoint(out_, *trainer_));
    return stream_->Seek(place_.batches);
  }

  // Gives all processes the weights, the moments and the place of process 0.
  Result<void> BroadcastState() {
    if (group_.count() == 1) return {};
    // The place is sent as text, weights and moments as bytes.
    place_.batches = stream_->State();
    std::string place = ToJson(place_);
    QKV_CHECK(group_.Broadcast(place));
    WeightSlots state = trainer_->State();
    Parameters numbers(state, /*gradients=*/false);
    for (LearntParameter& p : numbers.all()) QKV_CHECK(group_.Broadcast(p.value, p.size * sizeof(float)));
    if (group_.first()) return group_.Agree({});
    // The other processes continue from there. All of them must succeed.
    const auto go_on = [&]() -> Result<void> {
      QKV_TRY(place_, ParseRunPlace(place));
      trainer_->Resume(place_.step, place_.averaged);
      return stream_->Seek(place_.batches);
    };
    return group_.Agree(go_on());
  }

  bool Stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  Result<RunEnd> Loop() {
    // `since`: sums over the steps since the last line of the log.
    const Clock clock(place_.seconds);
    Loss since;
    double since_seconds = place_.seconds;
    uint64_t since_tokens = place_.tokens;
    while (place_.step < config_.steps) {
      // One update. If numbers are no longer finite, the weights are those before it.
      bool stop = false;
      QKV_TRY(const Trainer::Report report, Step(&stop));
      if (!report.finite) return Diverged(report);
      place_.step = report.step;
      since += report.loss;
      // A line of the log. The last step always has one.
      const bool done = place_.step == config_.steps, stopped = !done && stop, last = done || stopped;
      const double now = clock.seconds();
      place_.seconds = now;
      if (last || place_.step % config_.log_every == 0) {
        const double speed = static_cast<double>(place_.tokens - since_tokens) / std::max(now - since_seconds, 1e-9);
        QKV_CHECK(Note(report, since, speed));
        since = {};
        since_seconds = now;
        since_tokens = place_.tokens;
      }
      // The loss or BLEU on the held-out pairs. A run that is stopped does not wait for it.
      if (!stopped && (last || place_.step % config_.measure_every == 0)) {
        QKV_CHECK(Measure());
        since_seconds = clock.seconds();
      }
      // A checkpoint, from which a run goes on.
      if (last || place_.step % config_.checkpoint_every == 0) {
        QKV_CHECK(Save());
      }
      // The reasons to end before the last step.
      if (stopped) return End(RunEnd::Kind::kStopped);
      if (config_.patience > 0 && place_.measured_since >= config_.patience) return End(RunEnd::Kind::kPatience);
    }
    return End(RunEnd::Kind::kDone);
  }

  // One update; `stop`: whether a process got the signal to stop. Every process reads all batches, which costs little,
  // and keeps its own `accumulate` batches.
  Result<Trainer::Report> Step(bool* stop) {
    // All batches of the update are read, so that every process knows how many pieces it has.
    const size_t first = group_.rank() * config_.accumulate;
    std::vector<Batch> batches(config_.accumulate);
    size_t pieces = 0;
    for (size_t i = 0; i < group_.count() * config_.accumulate; ++i) {
      Batch other;
      Batch& batch = i >= first && i < first + batches.size() ? batches[i - first] : other;
      QKV_CHECK(stream_->Next(&batch));
      place_.tokens += batch.tokens();
      pieces += batch.target_out.size();
    }
    // With one process no gradient is sent.
    if (sum_ == nullptr) {
      const Trainer::Report report = trainer_->Step(batches);
      *stop = Stopped();
      return report;
    }
    // With several, gradients are summed while they are computed, then the losses and the signals to stop.
    QKV_TRY(const Loss mine, sum_->Pass(batches, first, pieces));
    double numbers[] = {mine.smoothed, mine.negative, Stopped() ? 1.0 : 0.0};
    QKV_CHECK(group_.Sum(numbers));
    *stop = numbers[2] > 0;
    return trainer_->End({numbers[0], numbers[1], pieces});
  }

  Result<void> Save() {
    if (group_.count() > 1) {
      QKV_CHECK(group_.CheckSame(HashOf(trainer_->parameters()),
                                 "has other weights than process 0: do all machines have the same kind of processor?"));
    }
    if (!group_.first()) return {};
    place_.averaged = trainer_->averaged();
    place_.batches = stream_->State();
    return SaveCheckpoint(out_, *trainer_, place_);
  }

  RunEnd End(RunEnd::Kind kind) const { return {kind, place_.step, place_.best_step, place_.best}; }

  Result<RunEnd> Diverged(const Trainer::Report& report) {
    if (group_.first()) QKV_CHECK(log_->Add("diverged", report.step, {{"rate", report.rate}}));
    return End(RunEnd::Kind::kDiverged);
  }

  Result<void> Note(const Trainer::Report& report, const Loss& since, double speed) {
    if (!group_.first()) return {};
    // The report to the caller.
    RunNews news;
    news.step = place_.step;
    news.steps = config_.steps;
    news.loss = since.smoothed / static_cast<double>(since.pieces);
    news.rate = report.rate;
    news.tokens_per_second = speed;
    news.seconds_left =
        place_.seconds / static_cast<double>(place_.step) * static_cast<double>(config_.steps - place_.step);
    if (options_.news) options_.news(news);
    // The line of the log has more, and with several processes the cost of sending.
    RunLog::Values values = {{"loss", news.loss},           {"nll", since.negative / static_cast<double>(since.pieces)},
                             {"rate", report.rate},         {"gradient", report.gradient},
                             {"tokens_per_second", speed},  {"tokens", static_cast<double>(place_.tokens)},
                             {"epochs", stream_->epochs()}, {"seconds", place_.seconds}};
    if (sum_ != nullptr) {
      values.insert(values.end(), {{"processes", static_cast<double>(group_.count())},
                                   {"bytes_sent", static_cast<double>(sum_->bytes())},
                                   {"seconds_waited", sum_->waited()}});
    }
    return log_->Add("step", place_.step, values);
  }

  // Measures the mean of the weights if there is one, and writes the model if it is the best so far.
  Result<void> Measure() {
    const bool swap = trainer_->has_average();
    if (swap) trainer_->SwapAverage();
    const Result<void> measured = MeasureAsIs();
    if (swap) trainer_->SwapAverage();
    QKV_CHECK(measured);
    return group_.first() ? log_->Draw() : Result<void>();
  }

  // The loss over all processes. Each measures by its share of the batches.
  Result<Loss> DevLoss() {
    Loss loss = trainer_->Measure(dev_batches_);
    double numbers[] = {loss.smoothed, loss.negative, static_cast<double>(loss.pieces)};
    QKV_CHECK(group_.Sum(numbers));
    return Loss{numbers[0], numbers[1], static_cast<size_t>(numbers[2])};
  }

  // BLEU of the current weights. Process 0 translates and sends the result to the others.
  Result<double> DevBleu() {
    double bleu = 0;
    if (group_.first()) {
      QKV_CHECK(WriteModel(out_ + "/last"));
      QKV_TRY(bleu, options_.bleu(out_ + "/last", dev_));
    }
    QKV_CHECK(group_.Broadcast(&bleu, sizeof bleu));
    return bleu;
  }

  Result<void> MeasureAsIs() {
    // Without held-out pairs the newest model is the best one.
    if (!measures_) return WriteModel(out_ + "/model");
    // The loss per piece, and BLEU if models are compared by it.
    QKV_TRY(const Loss loss, DevLoss());
    const double per_piece = loss.negative / static_cast<double>(loss.pieces);
    RunLog::Values values = {{"loss", per_piece}, {"perplexity", std::exp(per_piece)}};
    RunNews news;
    news.step = place_.step;
    news.steps = config_.steps;
    news.measured = true;
    news.dev_loss = per_piece;
    double value = -per_piece;
    if (config_.by_bleu && options_.bleu) {
      QKV_TRY(news.dev_bleu, DevBleu());
      values.emplace_back("bleu", news.dev_bleu);
      value = news.dev_bleu;
    }
    // Reports to the log and to the caller.
    if (group_.first()) QKV_CHECK(log_->Add("measure", place_.step, values));
    if (group_.first() && options_.news) options_.news(news);
    // The best model so far is written. `measured_since` counts how often none was better.
    const bool better = place_.best_step == 0 || value > place_.best;
    ++place_.measured_since;
    if (!better) return {};
    place_.best = value;
    place_.best_step = place_.step;
    place_.measured_since = 0;
    return WriteModel(out_ + "/model");
  }

  Result<void> WriteModel(const std::string& to) {
    if (!group_.first()) return {};
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
  std::vector<Batch> dev_batches_;  // of this process
  bool measures_ = false;           // whether there are any
  std::unique_ptr<BatchStream> stream_;
  std::unique_ptr<Trainer> trainer_;
  ProcessGroup alone_{nullptr};
  ProcessGroup& group_;
  std::unique_ptr<GradientSum> sum_;  // null: one process
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
