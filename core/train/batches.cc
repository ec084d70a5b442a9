#include "core/train/batches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/random.h"

namespace qkv {
namespace {

// The purpose of a generator: each purpose has its own stream.
enum class Draw : uint64_t { kWindow, kExamples, kBatches };

// The generator of a window or pool that begins at a pair, counted from the beginning of training.
Random Generator(uint64_t seed, uint64_t pair, Draw draw) {
  return Random(seed, (pair << 2) | static_cast<uint64_t>(draw));
}

// Uniform in [0, count), count > 0 (Lemire, "Fast random integer generation in an interval", 2019).
uint32_t Below(Random& random, uint32_t count) {
  uint64_t product = uint64_t{random.Next()} * count;
  if (static_cast<uint32_t>(product) < count) {
    const uint32_t least = (0u - count) % count;
    while (static_cast<uint32_t>(product) < least) product = uint64_t{random.Next()} * count;
  }
  return static_cast<uint32_t>(product >> 32);
}

// Fisher and Yates.
template <class T>
void Shuffle(std::vector<T>& items, Random random) {
  for (size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[Below(random, static_cast<uint32_t>(i))]);
  }
}

// Text of pairs in one block.
class Window {
 public:
  void Clear() {
    text_.clear();
    places_.clear();
  }
  void Add(const TextPair& pair) {
    places_.push_back(
        {text_.size(), static_cast<uint32_t>(pair.source.size()), static_cast<uint32_t>(pair.target.size())});
    text_ += pair.source;
    text_ += pair.target;
  }
  void Mix(Random random) { Shuffle(places_, random); }

  size_t size() const { return places_.size(); }
  size_t bytes() const { return text_.size() + places_.size() * sizeof(Place); }
  std::string_view Source(size_t i) const {
    return std::string_view(text_).substr(places_[i].begin, places_[i].source);
  }
  std::string_view Target(size_t i) const {
    return std::string_view(text_).substr(places_[i].begin + places_[i].source, places_[i].target);
  }

 private:
  struct Place {
    uint64_t begin;
    uint32_t source, target;  // bytes
  };
  std::string text_;
  std::vector<Place> places_;
};

// Examples as rows in one block, and how they are divided into batches.
class Pool {
 public:
  void Clear() {
    rows_.clear();
    places_.clear();
    begins_.clear();
  }
  void Add(const Example& example) {
    const auto& [source, target] = example;
    places_.push_back({rows_.size(), static_cast<uint32_t>(source.size()), static_cast<uint32_t>(target.size())});
    rows_.insert(rows_.end(), source.begin(), source.end());
    rows_.insert(rows_.end(), target.begin(), target.end());
  }

  // Sorts by length, and cuts into batches of about as many rows each, at most `tokens` unless one example has more.
  void Divide(size_t tokens) {
    // Examples of equal length stay in their order, which is that of `begin`.
    std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
      return std::tuple(a.size(), a.target, a.begin) < std::tuple(b.size(), b.target, b.begin);
    });
    begins_.clear();
    if (places_.empty()) return;
    // The remaining examples are divided evenly among the batches that they need, so the last batch is not small. A
    // batch ends within half an example of its share.
    const size_t margin = std::min(places_.back().size() / 2, tokens / 2);
    size_t left = rows_.size(), filled = 0, share = 0;  // rows: not in a batch before this one, in it, for it
    for (uint32_t i = 0; i < places_.size(); ++i) {
      const size_t size = places_[i].size();
      if (i == 0 || filled + size > tokens || filled + size / 2 > share) {
        begins_.push_back(i);
        left -= filled;
        filled = 0;
        const size_t usable = tokens - margin;
        share = left / ((left + usable - 1) / usable);
      }
      filled += size;
    }
    begins_.push_back(static_cast<uint32_t>(places_.size()));
    order_.resize(begins_.size() - 1);
    std::iota(order_.begin(), order_.end(), uint32_t{0});
  }
  void Mix(Random random) { Shuffle(order_, random); }

  size_t batches() const { return begins_.empty() ? 0 : begins_.size() - 1; }
  Batch Take(size_t batch, const Examples& examples) const {
    Batch taken;
    for (uint32_t i = begins_[order_[batch]]; i < begins_[order_[batch] + 1]; ++i) {
      const auto rows = std::span(rows_).subspan(places_[i].begin, places_[i].size());
      examples.Add(rows.first(places_[i].source), rows.last(places_[i].target), &taken);
    }
    return taken;
  }

 private:
  struct Place {
    size_t begin;
    uint32_t source, target;  // rows
    size_t size() const { return size_t{source} + target; }
  };
  std::vector<int32_t> rows_;
  std::vector<Place> places_;
  std::vector<uint32_t> begins_;  // of each batch in places_, and their end
  std::vector<uint32_t> order_;   // of the batches
};

Error Invalid(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), ""}; }

Result<void> Check(const BatchOptions& options) {
  if (options.tokens == 0) return Invalid("a batch must have room for at least one token");
  if (options.longest < 2) return Invalid("the longest side must be at least 2 rows: a piece and </s>");
  if (options.pool_pairs == 0) return Invalid("at least one pair must be sorted at once");
  double odds = 0;
  for (const double weight : options.joined) {
    if (!std::isfinite(weight) || weight < 0)
      return Invalid("the odds of joining must be numbers that are not negative");
    odds += weight;
  }
  if (!(odds > 0)) return Invalid("the odds of joining must not all be 0");
  return {};
}

uint64_t Fingerprint(const Mixture& mixture, const BatchOptions& options) {
  uint64_t hash = mixture.fingerprint();
  for (const uint64_t number : {options.seed, uint64_t{options.tokens}, uint64_t{options.longest},
                                uint64_t{options.window_bytes}, uint64_t{options.pool_pairs}}) {
    hash = HashOn(hash, number);
  }
  for (const double odds : options.joined) hash = HashOn(hash, std::bit_cast<uint64_t>(odds));
  return hash;
}

}  // namespace

struct BatchStream::Impl {
  Impl(Mixture all, const Examples& all_examples, BatchOptions batch_options)
      : mixture(std::move(all)), examples(all_examples), options(std::move(batch_options)) {
    state.fingerprint = Fingerprint(mixture, options);
    static_cast<MixturePlace&>(state) = mixture.place();
  }

  // Reads from the current position of the corpora to the end of the epoch, or until the window is full.
  Result<void> FillWindow() {
    ready = false;
    window.Clear();
    pool.Clear();
    const uint64_t begin = state.drawn, end = (begin / mixture.epoch() + 1) * mixture.epoch();
    TextPair pair;
    for (uint64_t i = begin; i < end && (i == begin || window.bytes() < options.window_bytes); ++i) {
      QKV_CHECK(mixture.Next(&pair));
      window.Add(pair);
    }
    window.Mix(Generator(options.seed, begin, Draw::kWindow));
    ready = true;
    return {};
  }

  // How many pairs the next example is made of, at most `most`.
  size_t DrawJoined(Random& random, size_t most) const {
    // One draw from the odds: 1 pair with odds[0], 2 pairs with odds[1], and so on.
    const double total = std::accumulate(options.joined.begin(), options.joined.end(), 0.0);
    double left = static_cast<double>(random.Uniform()) * total;
    size_t count = 0;
    while (count + 1 < options.joined.size() && left >= options.joined[count]) left -= options.joined[count++];
    return std::min(count + 1, most);
  }

  // Makes one example of the pairs [begin, begin + count). Returns false if it is too long or empty.
  Result<bool> Make(size_t begin, size_t count, Random& random) {
    joined.source.clear();
    joined.target.clear();
    for (size_t i = begin; i < begin + count; ++i) {
      for (std::string* side : {&joined.source, &joined.target}) {
        if (i > begin) *side += ' ';
      }
      joined.source += window.Source(i);
      joined.target += window.Target(i);
    }
    return examples.Make(joined.source, joined.target, &random, options.longest, TooLong::kLeaveOut, &example);
  }

  // Fills the pool with the pairs from state.used on.
  Result<void> FillPool() {
    pool.Clear();
    next_used = std::min<uint64_t>(state.used + options.pool_pairs, window.size());
    const uint64_t begin = state.drawn + state.used;
    Random random = Generator(options.seed, begin, Draw::kExamples);
    // Joined pairs that are too long are tried with fewer; a pair that is too long by itself is left out.
    for (size_t at = state.used; at < next_used;) {
      size_t count = DrawJoined(random, next_used - at);
      for (; count > 0; --count) {
        QKV_TRY(const bool fits, Make(at, count, random));
        if (fits) break;
      }
      if (count > 0) {
        pool.Add(example);
      } else {
        ++left_out;
      }
      at += std::max<size_t>(count, 1);
    }
    pool.Divide(options.tokens);
    pool.Mix(Generator(options.seed, begin, Draw::kBatches));
    return {};
  }

  // Restores the window and the pool of the state.
  Result<void> Restore() {
    QKV_CHECK(mixture.Seek(state));
    QKV_CHECK(FillWindow());
    if (state.used <= window.size()) {
      QKV_CHECK(FillPool());
      if (state.taken <= pool.batches()) return {};
    }
    ready = false;
    return Invalid("the checkpoint's place in the training data does not exist");
  }

  Result<void> NextPool() {
    // The window is used up, and the corpora are at the beginning of the next one.
    if (next_used == window.size()) {
      static_cast<MixturePlace&>(state) = mixture.place();
      state.used = 0;
      QKV_CHECK(FillWindow());
    } else {
      state.used = next_used;
    }
    state.taken = 0;
    return FillPool();
  }

  // Goes on to a pool with a batch that was not taken yet.
  Result<void> Prepare() {
    if (!ready) QKV_CHECK(Restore());
    for (uint64_t in_vain = 0; state.taken >= pool.batches(); in_vain += next_used - state.used) {
      if (in_vain > 2 * mixture.epoch()) {
        return Invalid("every pair has more than " + std::to_string(options.longest) + " rows, or none but </s>");
      }
      QKV_CHECK(NextPool());
    }
    return {};
  }

  Mixture mixture;
  const Examples& examples;
  BatchOptions options;
  BatchState state;
  Window window;
  bool ready = false;      // window and pool are those of the state
  uint64_t next_used = 0;  // pairs of the window used after the pool
  Pool pool;
  uint64_t left_out = 0;

  TextPair joined;  // reused memory
  Example example;
};

Result<BatchStream> BatchStream::Open(std::vector<std::unique_ptr<Corpus>> corpora, const Examples& examples,
                                      BatchOptions options) {
  QKV_CHECK(Check(options));
  QKV_TRY(Mixture mixture, Mixture::Of(std::move(corpora)));
  return BatchStream(std::make_unique<Impl>(std::move(mixture), examples, std::move(options)));
}

BatchStream::BatchStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BatchStream::~BatchStream() = default;
BatchStream::BatchStream(BatchStream&&) noexcept = default;
BatchStream& BatchStream::operator=(BatchStream&&) noexcept = default;

Result<void> BatchStream::Next(Batch* batch) {
  QKV_CHECK(impl_->Prepare());
  *batch = impl_->pool.Take(impl_->state.taken++, impl_->examples);
  return {};
}

BatchState BatchStream::State() const { return impl_->state; }

Result<void> BatchStream::Seek(const BatchState& state) {
  const size_t count = impl_->mixture.corpora().size();
  if (state.fingerprint != impl_->state.fingerprint || state.places.size() != count || state.given.size() != count) {
    return Invalid("the training data, their weights or the options of the batches are not those of the checkpoint");
  }
  impl_->state = state;
  return impl_->Restore();
}

uint64_t BatchStream::epoch_pairs() const { return impl_->mixture.epoch(); }

double BatchStream::epochs() const {
  const Impl& impl = *impl_;
  const double done = impl.pool.batches() == 0
                          ? 0
                          : static_cast<double>(impl.next_used - impl.state.used) *
                                static_cast<double>(impl.state.taken) / static_cast<double>(impl.pool.batches());
  return (static_cast<double>(impl.state.drawn + impl.state.used) + done) / static_cast<double>(impl.mixture.epoch());
}

uint64_t BatchStream::left_out() const { return impl_->left_out; }

Result<std::vector<Batch>> BatchesOf(const std::vector<TextPair>& pairs, const Examples& examples, size_t tokens,
                                     size_t longest) {
  Pool pool;
  Example example;
  for (const auto& [source, target] : pairs) {
    QKV_TRY(const bool any, examples.Make(source, target, nullptr, longest, TooLong::kCut, &example));
    if (any) pool.Add(example);
  }
  pool.Divide(tokens);
  // In the order of the pairs: measuring does not shuffle.
  std::vector<Batch> batches;
  batches.reserve(pool.batches());
  for (size_t i = 0; i < pool.batches(); ++i) batches.push_back(pool.Take(i, examples));
  return batches;
}

}  // namespace qkv
