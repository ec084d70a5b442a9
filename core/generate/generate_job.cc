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
// The most rows of a pass. The memory of a pass grows with its rows, so a longer prompt is read in several passes. They
// take no more time: reading the weights once more costs little beside the products of 64 rows.
constexpr size_t kMostRows = 64;

// `need` plus the logits of `rows` pieces and the memory to choose one: a copy of the logits, and if it is `drawn` a
// growing list of candidates of 16 bytes.
MemoryNeed WithLogits(MemoryNeed need, const Gpt2Config& config, size_t rows, bool drawn) {
  need.scratch += LogitsScratch(rows, config.d_model, config.vocabulary);
  const uint64_t choice = (drawn ? uint64_t{13} : 1) * config.vocabulary * sizeof(float);
  need.kept += choice;
  need.block = std::max(need.block, choice);
  return need;
}

// Whether Reserve will succeed. It rounds up by an eighth and some.
bool Fits(const Arena& arena, const MemoryNeed& need) {
  const uint64_t scratch = need.scratch * sizeof(float);
  const uint64_t more = scratch <= arena.capacity() ? 0 : scratch + scratch / 8 + (uint64_t{1} << 18);
  return static_cast<bool>(CheckMemory(more + need.kept, "", ""));
}

}  // namespace

GenerateJob::GenerateJob(const GeneratorModel& model, std::string_view prompt, GenerateOptions options)
    : model_(model), options_(std::move(options)), sampler_(options_.sampling), state_(model.config(), 1) {
  const size_t positions = model.config().positions;
  if (prompt.size() > kLongestText) {  // such a prompt is shortened first, so that less is cut into pieces
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
  prompt_ = ids_.size();
  state_.self.Expect(prompt_, prompt_ + options_.max_length);
  prompt_text_ = model.tokenizer().Decode(ids_);
  if (options_.max_length == 0) end_ = End::kLength;
}

bool GenerateJob::Advance(Context& plain) {
  if (end_ != End::kNone) return true;
  if (shown_ == written_.size() && !Compute(plain)) return false;
  Show();
  return end_ != End::kNone;
}

// A pass over pieces that the model has not read: of the prompt, a layer a step; afterwards the last piece and a draft
// of what follows it. Returns true when there are pieces to show.
bool GenerateJob::Compute(Context& plain) {
  const size_t known = ids_.size(), layers = model_.config().layers;
  std::optional<Interventions> interventions;
  if (options_.changes != nullptr) interventions.emplace(*options_.changes, kOnlyText, options_.sentence);
  Context ctx = With(plain, interventions);
  // The draft. Each of its pieces and the one behind it can still be shown, so the positions suffice.
  // None with changes, which may name the place of a query in its pass.
  const bool is_prompt = written_.empty(), drafts = options_.prompt_lookup && options_.changes == nullptr;
  if (!is_prompt && drafts) lookup_.Draft(options_.max_length - written_.size() - 1, ids_);
  if (!ReservePass(ctx, known)) return false;
  // The layers.
  const Gpt2& decoder = model_.decoder();
  do {
    const ArenaScope scope(ctx.arena);
    if (layer_ == 0) Keep(decoder.Embed(ctx, Unread(), state_));
    const auto d = static_cast<Eigen::Index>(model_.config().d_model);
    Keep(decoder.LayerStep(ctx, layer_++, {x_.data(), static_cast<Eigen::Index>(x_.size()) / d, d}, state_));
  } while (layer_ < layers && !is_prompt);
  if (layer_ < layers) return false;
  // The pieces, when all is read.
  layer_ = 0;
  if (state_.self.length() < ids_.size()) return false;
  Accept(ctx, known);
  if (is_prompt) std::vector<float>().swap(x_);  // a prompt has many rows
  return true;
}

// The pieces that the next pass reads. With interventions these are all pieces that are left, because an intervention
// may name a query by its place.
std::span<const int32_t> GenerateJob::Unread() const {
  const std::span<const int32_t> rest = std::span(ids_).subspan(state_.self.length());
  return rest.first(options_.changes != nullptr ? rest.size() : std::min(rest.size(), kMostRows));
}

// Asks for the memory of a pass whose draft begins behind `known` pieces. There is no draft if it alone does not fit.
bool GenerateJob::ReservePass(Context& ctx, size_t known) {
  const auto need = [&] {
    const size_t rows = layer_ == 0 ? Unread().size() : x_.size() / model_.config().d_model;
    const bool drawn = options_.sampling.temperature > 0 || options_.alternatives > 0;
    return WithLogits(model_.decoder().PassMemoryNeed(state_, rows, layer_ == 0, ctx.pool.size()), model_.config(),
                      1 + ids_.size() - known, drawn);
  };
  if (ids_.size() != known && !Fits(ctx.arena, need())) ids_.resize(known);
  return ReserveMemory(ctx.arena, need(), "generation");
}

void GenerateJob::Keep(MatrixView rows) { x_.assign(rows.data(), rows.data() + rows.size()); }

// Chooses the piece behind the `known` ones, and behind each piece of the draft as long as the draft has the pieces
// that are chosen. The state then forgets the rest of the draft.
void GenerateJob::Accept(Context& ctx, size_t known) {
  const auto d = static_cast<Eigen::Index>(model_.config().d_model);
  const size_t drafted = ids_.size() - known;
  const auto rows = static_cast<Eigen::Index>(drafted + 1);
  MatrixView logits =
      model_.decoder().Logits(ctx, {x_.data() + static_cast<Eigen::Index>(x_.size()) - rows * d, rows, d});
  size_t row = 0;
  int32_t id = -1;
  for (;; ++row) {
    MatrixView here(logits.data() + static_cast<Eigen::Index>(row) * logits.cols(), 1, logits.cols());
    written_.push_back(Choose(here, std::span(ids_).first(known + row)));
    id = written_.back().id;
    if (row == drafted || ids_[known + row] != id || id == model_.config().end) break;
  }
  drafts_.drafted += drafted;
  drafts_.accepted += row;
  state_.self.TakeBack(drafted - row);
  ids_.resize(known + row);
  if (id >= 0) ids_.push_back(id);
}

// `logits` [1, vocabulary] are changed. The id is -1 if all of them are NaN.
WrittenPiece GenerateJob::Choose(MatrixView logits, std::span<const int32_t> history) {
  const auto size = static_cast<size_t>(logits.cols());
  const Normaliser n = FindNormaliser(logits.data(), size);
  WrittenPiece piece{-1, 0, Guesses(logits.data(), size, options_.alternatives)};
  own_.assign(logits.data(), logits.data() + size);
  piece.id = sampler_.Choose({logits.data(), size}, history);
  if (piece.id >= 0) piece.log_prob = own_[static_cast<size_t>(piece.id)] - n.max - n.log_sum;
  return piece;
}

// Shows one piece more, and ends where a text without drafts ends: later pieces of a pass are not shown then.
void GenerateJob::Show() {
  const int32_t id = written_[shown_].id;
  if (id < 0) return void(end_ = End::kLength);
  ++shown_;
  if (id == model_.config().end) end_ = End::kPiece;
  if (end_ == End::kNone && shown_ >= options_.max_length) end_ = End::kLength;
  lookup_.Read(std::span(ids_).first(prompt_ + shown_));
  Spell();
}

void GenerateJob::Spell() {
  const std::string all = model_.tokenizer().Decode(std::span(ids_).first(prompt_ + shown_));
  text_ = all.substr(std::min(prompt_text_.size(), all.size()));
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
  if (!ReserveMemory(ctx.arena, WithLogits(need, model_.config(), 1, /*drawn=*/true), "trace")) return true;
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
  // At the end the weights are taken from the trace.
  if (end < rows) return false;
  attention_ = trace_.Take(AttentionKind::kDecoderSelf);
  return true;
}

}  // namespace qkv
