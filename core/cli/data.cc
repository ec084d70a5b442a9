#include "core/cli/data.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/cli/command.h"

namespace qkv::cli {
namespace {

std::unique_ptr<TextSource> OpenFileOrFail(const std::string& path) {
  auto file = TextOfFile(path);
  if (!file) Fail(file.error().ToString());
  return std::move(*file);
}

// Takes ":WEIGHT" off a name that ends with one.
double TakeWeight(std::string* spec) {
  const size_t colon = spec->rfind(':');
  if (colon == std::string::npos || colon + 1 == spec->size()) return 1;
  char* end = nullptr;
  const double weight = std::strtod(spec->c_str() + colon + 1, &end);
  if (*end != '\0') return 1;
  spec->resize(colon);
  return weight;
}

std::unique_ptr<Corpus> OpenOrFail(std::string spec, int column) {
  const CorpusOptions options{.weight = TakeWeight(&spec), .column = column};
  const size_t comma = column != 0 ? std::string::npos : spec.find(',');
  auto source = OpenFileOrFail(spec.substr(0, comma));
  auto target = comma == std::string::npos ? nullptr : OpenFileOrFail(spec.substr(comma + 1));
  auto corpus = Corpus::Open(std::move(source), std::move(target), options);
  if (!corpus) Fail(corpus.error().ToString());
  return std::move(*corpus);
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
    corpora.push_back(OpenOrFail(spec, column));
    SayWhatIsLeftOut(spec, corpora.back()->counts());
  }
  return corpora;
}

std::vector<TextPair> ReadPairsOrFail(const std::string& spec, int column) {
  auto pairs = OpenDataOrFail({spec}, column).front()->All(SIZE_MAX);
  if (!pairs) Fail(pairs.error().ToString());
  return std::move(*pairs);
}

std::string ReadFileOrFail(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file || file.bad()) Fail(path + " cannot be read");
  return bytes;
}

void WriteFileOrFail(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) Fail(path + ": cannot be written");
}

}  // namespace qkv::cli
