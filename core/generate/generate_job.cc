#include "core/generate/generate_job.h"

#include <algorithm>

#include "core/attention/memory.h"
#include "core/base/budget.h"
#include "core/kernels/softmax.h"
#include "core/layers/scratch.h"
#include "core/text/utf.h"

namespace qkv {

namespace {

constexpr size_t kOnlyText[] = {0};  // the sentence of each segment of a pass

// `need` plus the logits of one piece and the memory for sampling: a copy of the logits, and a growing list of
// candidates of 16 bytes.
MemoryNeed WithLogits(MemoryNeed need, const Gpt2Config& config) {
  need.scratch += LogitsScratch(1, config.d_model, config.vocabulary);
  need.kept += uint64_t{13} * config.vocabulary * sizeof(float);
  return need;
}

}  // namespace

GenerateJob::GenerateJob(const GeneratorModel& model, std::string_view prompt, GenerateOptions options)
    : model_(model), options_(std::move(options)), sampler_(options_.sampling), state_(model.config(), 1) {
  const size_t positions = model.config().positions;
  if (prompt.size() > kLongestText) {  // the part that is left out below is not cut into pieces
    truncated_ = true;
    prompt.remove_prefix(prompt.size() - kLongestText);
    while (!prompt.empty() && (prompt.front() & 0xC0) == 0x80) prompt.remove_prefix(1);
  }
  for (const Piece& piece : model.tokenizer().Pieces(prompt)) ids_.push_back(piece.id);
  if (ids_.empty()) ids_.push_back(std::max({model.config().start, model.config().end, 0}));
  if (ids_.size() > positions) {
    truncated_ = true;
    // The last piece is written but not read.
    const size_t reserved = std::min(options_.max_length - std::min<size_t>(options_.max_length, 1), positions / 2);
    ids_.erase(ids_.begin(), ids_.end() - static_cast<std::ptrdiff_t>(positions - reserved));
  }
  options_.max_length = std::min(options_.max_length, positions - ids_.size() + 1);
  said_ = model.tokenizer().Decode(ids_);
  if (options_.max_length == 0) end_ = End::kLength;
}

bool GenerateJob::Advance(Context& plain) {
  if (end_ != End::kNone) return true;
  std::optional<Interventions> interventions;
  if (options_.changes != nullptr) interventions.emplace(*options_.changes, kOnlyText, options_.sentence);
  Context ctx = With(plain, interventions);
  const Gpt2& decoder = model_.decoder();
  const size_t threads = ctx.pool.size();
  const MemoryNeed need = written_.empty() ? decoder.PassMemoryNeed(state_, ids_.size(), layer_ == 0, threads)
                                           : decoder.StepMemoryNeed(state_, 1, threads);
  if (!ReserveMemory(ctx.arena, WithLogits(need, model_.config()), "generation")) return true;
  if (written_.empty()) {
    if (x_.size() == 0) x_ = decoder.Embed(ctx, ids_, state_);
    x_ = decoder.LayerStep(ctx, layer_++, View(x_), state_);
    if (layer_ < model_.config().layers) return false;
    Take(ctx, {x_.data() + (x_.rows() - 1) * x_.cols(), 1, x_.cols()});
    x_.resize(0, 0);
  } else {
    Take(ctx, View(decoder.Step(ctx, {&ids_.back(), 1}, state_)));
  }
  return end_ != End::kNone;
}

void GenerateJob::Take(Context& ctx, ConstMatrixView last) {
  MatrixView logits = model_.decoder().Logits(ctx, last);
  const auto size = static_cast<size_t>(logits.cols());
  const Normaliser n = FindNormaliser(logits.data(), size);
  WrittenPiece piece{-1, 0, Guesses(logits.data(), size, options_.alternatives)};
  const std::vector<float> own(logits.data(), logits.data() + size);
  piece.id = sampler_.Choose({logits.data(), size}, ids_);
  if (piece.id < 0) return void(end_ = End::kLength);  // all logits are NaN
  piece.log_prob = own[static_cast<size_t>(piece.id)] - n.max - n.log_sum;
  if (piece.id == model_.config().end) end_ = End::kPiece;
  ids_.push_back(piece.id);
  written_.push_back(std::move(piece));
  if (end_ == End::kNone && written_.size() >= options_.max_length) end_ = End::kLength;
  Spell();
}

void GenerateJob::Spell() {
  const std::string all = model_.tokenizer().Decode(ids_);
  text_ = all.substr(std::min(said_.size(), all.size()));
  while (end_ == End::kNone && text_.ends_with(kReplacementCharacter)) {
    text_.resize(text_.size() - kReplacementCharacter.size());
  }
  for (const std::string& stop : options_.stops) {
    const size_t at = stop.empty() ? std::string::npos : text_.find(stop);
    if (at == std::string::npos) continue;
    text_.resize(at);
    end_ = End::kStop;
  }
}

GenerationTraceJob::GenerationTraceJob(const GeneratorModel& model, std::string_view text, size_t alternatives,
                                       std::shared_ptr<const PassChanges> changes)
    : model_(model),
      count_(std::clamp<size_t>(alternatives, 1, model.config().vocabulary)),
      changes_(std::move(changes)),
      encoding_(model.tokenizer().Encode(text, std::nullopt, model.config().positions)),
      state_(model.config(), 1) {
  if (encoding_.size() == 0) {
    encoding_.ids = {std::max({model.config().start, model.config().end, 0})};
    encoding_.types = {0};
    encoding_.begin = encoding_.end = {0};
    encoding_.text = {-1};
  }
  const size_t rows = encoding_.size(), layers = model.config().layers, heads = model.config().heads;
  const Result<void> fits = CheckMemory(TraceMemory(layers, heads, rows, rows), "trace a shorter text", "trace");
  if (fits) trace_.Reserve(AttentionKind::kDecoderSelf, layers, heads, rows, rows);
  if (!fits) Fail(fits.error());
}

bool GenerationTraceJob::Advance(Context& ctx) {
  const Gpt2& decoder = model_.decoder();
  // The memory of the step.
  const MemoryNeed need = decoder.PassMemoryNeed(state_, encoding_.size(), layer_ == 0, ctx.pool.size());
  if (!ReserveMemory(ctx.arena, WithLogits(need, model_.config()), "trace")) return true;
  // A layer a step, with all its weights recorded.
  std::optional<Interventions> interventions;
  if (changes_ != nullptr) interventions.emplace(*changes_);
  Context traced = With(ctx, interventions);
  traced.trace = &trace_;
  if (x_.size() == 0) x_ = decoder.Embed(ctx, encoding_.ids, state_);
  if (layer_ < model_.config().layers) {
    x_ = decoder.LayerStep(traced, layer_++, View(x_), state_);
    return false;
  }
  // Then the likeliest pieces behind each piece of the text, and the probability of the one that follows.
  const size_t rows = encoding_.size(), row = alternatives_.size() / count_;
  const size_t end = std::min(rows, row + 8);  // eight rows a step
  for (size_t r = row; r < end; ++r) {
    const ArenaScope scope(ctx.arena);
    const MatrixView logits = decoder.Logits(ctx, {x_.data() + static_cast<Eigen::Index>(r) * x_.cols(), 1, x_.cols()});
    const auto size = static_cast<size_t>(logits.cols());
    std::vector<Guess> guesses = Guesses(logits.data(), size, count_);
    guesses.resize(count_, {0, 0});
    alternatives_.insert(alternatives_.end(), guesses.begin(), guesses.end());
    if (r + 1 == rows) continue;
    const Normaliser n = FindNormaliser(logits.data(), size);
    log_probs_.push_back(logits(0, encoding_.ids[r + 1]) - n.max - n.log_sum);
  }
  // At last the weights are taken from the trace.
  if (end < rows) return false;
  attention_ = trace_.Take(AttentionKind::kDecoderSelf);
  return true;
}

}  // namespace qkv
