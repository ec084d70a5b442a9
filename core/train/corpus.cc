#include "core/train/corpus.h"

#include <cmath>
#include <utility>

#include "core/base/random.h"
#include "core/text/utf.h"

namespace qkv {
namespace {

// FNV-1a, for fingerprints of files and for which pairs are held out.
constexpr uint64_t kFnvBasis = 0xCBF29CE484222325u, kFnvPrime = 0x100000001B3u;

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// Whether it is UTF-8 without a zero byte.
bool IsText(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const size_t length = byte < 0x80 ? (byte != 0 ? 1 : 0) : Utf8Length(text.substr(at));
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace

Corpus::Corpus(std::unique_ptr<TextSource> source, std::unique_ptr<TextSource> target, CorpusOptions options)
    : source_(std::move(source)),
      target_(target ? std::make_unique<Lines>(std::move(target)) : nullptr),
      options_(options) {}

Result<std::unique_ptr<Corpus>> Corpus::Open(std::unique_ptr<TextSource> source, std::unique_ptr<TextSource> target,
                                             CorpusOptions options) {
  // The options are checked before a byte is read.
  const std::string name = source->name();
  if (!std::isfinite(options.weight) || options.weight < 0) {
    return Error{ErrorCode::kInvalidArgument, "its weight must be a number that is not negative", name};
  }
  if (options.column != 0 && target) {
    return Error{ErrorCode::kInvalidArgument, "a column needs one file, and there are two", name};
  }
  if (!(options.held_out >= 0 && options.held_out < 1)) {
    return Error{ErrorCode::kInvalidArgument, "the held-out share must be in [0, 1)", name};
  }
  std::unique_ptr<Corpus> corpus(new Corpus(std::move(source), std::move(target), options));
  QKV_CHECK(corpus->Count());
  return corpus;
}

// Reads all lines once: how many there are of each kind, and a fingerprint of their kinds and lengths. A resumed run
// must find the same.
Result<void> Corpus::Count() {
  QKV_CHECK(Seek({}));
  counts_ = {};
  uint64_t hash = kFnvBasis;
  while (true) {
    QKV_TRY(const Kind kind, Read());
    if (kind == Kind::kEnd) break;
    ++counts_.lines;
    counts_.pairs += kind == Kind::kPair ? 1 : 0;
    counts_.held_out += kind == Kind::kHeldOut ? 1 : 0;
    counts_.empty += kind == Kind::kEmpty ? 1 : 0;
    counts_.too_long += kind == Kind::kTooLong ? 1 : 0;
    counts_.not_text += kind == Kind::kNotText ? 1 : 0;
    for (const uint64_t number :
         {static_cast<uint64_t>(kind), uint64_t{source_text_.size()}, uint64_t{target_text_.size()}}) {
      hash = (hash ^ number) * kFnvPrime;
    }
  }
  // Back to the beginning.
  counts_.bytes = source_.offset() + (target_ ? target_->offset() : 0);
  counts_.fingerprint = hash;
  return Seek({});
}

Result<void> Corpus::Seek(const CorpusPlace& place) {
  QKV_CHECK(source_.Seek(place.source_offset));
  if (target_) QKV_CHECK(target_->Seek(place.target_offset));
  line_ = place.lines;
  return {};
}

Result<bool> Corpus::ReadLine(bool* cut) {
  QKV_TRY(const bool more, source_.Next(&source_line_, cut));
  if (target_) {
    bool target_cut = false;
    QKV_TRY(const bool target_more, target_->Next(&target_line_, &target_cut));
    // Two files must end at the same line.
    if (more != target_more) {
      const Lines &shorter = more ? *target_ : source_, &longer = more ? source_ : *target_;
      return Bad(longer, "there is no such line in " + shorter.name() + ": both must have as many");
    }
    *cut |= target_cut;
  }
  if (more) ++line_;
  return more;
}

Result<Corpus::Kind> Corpus::Read() {
  source_text_ = target_text_ = {};
  bool cut = false;
  QKV_TRY(const bool more, ReadLine(&cut));
  if (!more) return Kind::kEnd;
  if (cut) return Kind::kTooLong;
  // The two texts: of two files, or of one line with a tab. With a column only one text is wanted.
  source_text_ = source_line_;
  target_text_ = target_line_;
  const bool texts = options_.column != 0;
  if (!target_) {
    if (Trim(source_line_).empty()) return Kind::kEmpty;
    const size_t tab = source_text_.find('\t');
    if (tab == std::string_view::npos && options_.column != 1) return Bad(source_, "SOURCE<TAB>TARGET was expected");
    if (tab != std::string_view::npos) {
      target_text_ = source_text_.substr(tab + 1, source_text_.find('\t', tab + 1) - tab - 1);
      source_text_ = source_text_.substr(0, tab);
    }
    if (options_.column == 2) source_text_ = target_text_;
    if (texts) target_text_ = {};
  }
  // Lines that cannot be used, and pairs that are held out.
  source_text_ = Trim(source_text_);
  target_text_ = Trim(target_text_);
  if (source_text_.empty() || (!texts && target_text_.empty())) return Kind::kEmpty;
  if (!IsText(source_text_) || !IsText(target_text_)) return Kind::kNotText;
  return IsHeldOut(source_text_) ? Kind::kHeldOut : Kind::kPair;
}

// A function of the source alone: the same pair is held out in every run, on every machine, in whatever order.
bool Corpus::IsHeldOut(std::string_view source) const {
  if (options_.held_out == 0) return false;
  uint64_t hash = kFnvBasis;
  for (const char c : source) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return Random(options_.held_out_seed, hash).Uniform() < static_cast<float>(options_.held_out);
}

Result<void> Corpus::Next(TextPair* pair) {
  if (counts_.pairs == 0) return Bad(source_, "there is no pair to learn from");
  // If the file lost its pairs after they were counted, this loop would not end.
  for (int ends = 0; ends < 2;) {
    QKV_TRY(const Kind kind, Read());
    if (kind == Kind::kPair) {
      pair->source = source_text_;
      pair->target = target_text_;
      return {};
    }
    if (kind != Kind::kEnd) continue;
    ++ends;
    QKV_CHECK(Seek({}));
  }
  return Bad(source_, "its pairs are gone: it has changed since training began");
}

Result<std::vector<TextPair>> Corpus::HeldOut(size_t most) { return Collect(most, false); }
Result<std::vector<TextPair>> Corpus::All(size_t most) { return Collect(most, true); }

Result<std::vector<TextPair>> Corpus::Collect(size_t most, bool all) {
  const CorpusPlace before = place();
  QKV_CHECK(Seek({}));
  // Reads from the beginning, then goes back to the position of training.
  std::vector<TextPair> pairs;
  while (pairs.size() < most) {
    QKV_TRY(const Kind kind, Read());
    if (kind == Kind::kEnd) break;
    if (kind == Kind::kHeldOut || (all && kind == Kind::kPair)) {
      pairs.push_back({std::string(source_text_), std::string(target_text_)});
    }
  }
  QKV_CHECK(Seek(before));
  return pairs;
}

Error Corpus::Bad(const Lines& lines, std::string message) const {
  const std::string where = line_ == 0 ? lines.name() : lines.name() + ":" + std::to_string(line_);
  return {ErrorCode::kInvalidFile, std::move(message), where};
}

}  // namespace qkv
