#include "core/cli/data.h"

#include <cstdlib>

#include "core/cli/command.h"

namespace qkv::cli {
namespace {

std::unique_ptr<TextSource> OpenFileOrFail(const std::string& path) { return OrFail(TextOfFile(path)); }

// Removes ":WEIGHT" from the end of a name and returns the weight.
double TakeWeight(std::string* spec) {
  const size_t colon = spec->rfind(':');
  if (colon == std::string::npos || colon + 1 == spec->size()) return 1;
  char* end = nullptr;
  const double weight = std::strtod(spec->c_str() + colon + 1, &end);
  if (*end != '\0') return 1;
  spec->resize(colon);
  return weight;
}

std::unique_ptr<Corpus> OpenCorpusOrFail(std::string spec, int column) {
  const CorpusOptions options{.weight = TakeWeight(&spec), .column = column};
  const size_t comma = column != 0 ? std::string::npos : spec.find(',');
  auto source = OpenFileOrFail(spec.substr(0, comma));
  auto target = comma == std::string::npos ? nullptr : OpenFileOrFail(spec.substr(comma + 1));
  return OrFail(Corpus::Open(std::move(source), std::move(target), options));
}

void SayWhatIsLeftOut(const std::string& spec, const CorpusCounts& counts) {
  const auto say = [&](uint64_t count, const char* why) {
    if (count == 0) return;
    std::fprintf(stderr, "qkv: %s: left out %llu of %llu lines, %s\n", spec.c_str(),
                 static_cast<unsigned long long>(count), static_cast<unsigned long long>(counts.lines), why);
  };
  say(counts.empty, "with a side that is empty");
  say(counts.too_long, "longer than 16384 bytes");
  say(counts.not_text, "not UTF-8, or with a NUL");
}

}  // namespace

std::vector<std::unique_ptr<Corpus>> OpenDataOrFail(const std::vector<std::string>& specs, int column) {
  std::vector<std::unique_ptr<Corpus>> corpora;
  for (const std::string& spec : specs) {
    corpora.push_back(OpenCorpusOrFail(spec, column));
    SayWhatIsLeftOut(spec, corpora.back()->counts());
  }
  return corpora;
}

std::vector<TextPair> ReadPairsOrFail(const std::string& spec, int column) {
  return OrFail(OpenDataOrFail({spec}, column).front()->All(SIZE_MAX));
}

}  // namespace qkv::cli
