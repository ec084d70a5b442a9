// Any bytes as a text of which parts are carried through a translation, by the rules and by a caller's spans, and any
// pieces as its translation. Parts must stay in order and within their texts. The first bytes choose what is given and
// what is written. Runs from the root of the repository.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/carried.h"
#include "core/text/utf.h"
#include "core/translate/folder.h"
#include "core/translate/spelling.h"

namespace {

using namespace qkv;

void Require(bool holds) {
  if (!holds) __builtin_trap();
}

const TranslationModel& Model() {
  static const std::unique_ptr<TranslationModel> model = [] {
    auto loaded = LoadFolder("tests/goldens/models/tiny-f16");
    if (!loaded) {
      std::fprintf(stderr, "%s\n", loaded.error().ToString().c_str());
      std::abort();
    }
    return std::move(*loaded);
  }();
  return *model;
}

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  size_t Next() { return size_ > 0 ? --size_, *data_++ : 0; }
  std::string_view rest() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const uint8_t* data_;
  size_t size_;
};

void CheckFound(std::string_view text) {
  size_t end = 0;
  for (const CarriedSpan& span : FindCarried(text)) {
    Require(end <= span.begin && span.begin < span.end && span.end <= text.size());
    end = span.end;
  }
}

// The pieces, and the weights with which each attends to the source, made from the same bytes.
void CheckSpelling(const CarriedSource& source, const std::vector<int32_t>& ids) {
  const size_t sources = source.tokens().ids.size();
  AttentionMap alignment{1, 1, ids.size(), sources, std::vector<float>(ids.size() * sources), 0, {}, {}, {}};
  for (size_t i = 0; i < alignment.weights.size(); ++i) {
    alignment.weights[i] = static_cast<float>((7 * i + static_cast<size_t>(ids[i / sources])) % 11);
  }
  for (const AttentionMap* known : {static_cast<const AttentionMap*>(nullptr), &std::as_const(alignment)}) {
    Tokens tokens;
    const Spelling spelling = Spell(Model(), source, ids, known, &tokens);
    Require(known == nullptr || spelling.is_whole);
    for (const CopiedSpan& span : spelling.copied) {
      Require(span.source_begin <= span.source_end && span.source_end <= source.text().size());
      Require(span.target_begin <= span.target_end && span.target_end <= spelling.text.size());
    }
    for (size_t i = 0; i < tokens.ids.size(); ++i) {
      Require(tokens.begin[i] <= tokens.end[i] && tokens.end[i] <= spelling.text.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  std::vector<size_t> lengths;
  for (size_t count = bytes.Next() % 4; count > 0; --count) lengths.push_back(bytes.Next());
  std::vector<int32_t> ids;
  const auto vocabulary = static_cast<int32_t>(Model().config().vocabulary);
  for (size_t count = bytes.Next() % 16; count > 0; --count) {
    ids.push_back(static_cast<int32_t>(bytes.Next()) % vocabulary);
  }
  ids.push_back(Model().config().end);
  const std::string text(bytes.rest());
  CheckFound(text);
  std::vector<GivenPart> given;
  for (size_t i = 0, at = 0; i < lengths.size(); ++i) {
    const size_t begin = at + lengths[i] / 16, end = begin + lengths[i] % 16;
    if (end > text.size() || begin == end) break;
    given.push_back({begin, end, text.substr(0, lengths[i] % 5)});
    at = end;
  }
  CarriedSource source(Model(), text, lengths.size() != 1, given);
  do {
    const Tokens& tokens = source.tokens();
    Require(!tokens.ids.empty() && tokens.ids.size() <= Model().config().max_positions);
    for (size_t i = 0; i < tokens.ids.size(); ++i) {
      Require(tokens.begin[i] <= tokens.end[i] && tokens.end[i] <= text.size());
    }
    CheckSpelling(source, ids);
    Require(!source.ReadTarget(text).ids.empty());
  } while (source.ReadOtherwise());
  return 0;
}
