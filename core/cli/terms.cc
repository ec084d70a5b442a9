#include "core/cli/terms.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "core/cli/command.h"
#include "core/cli/lines.h"

namespace qkv::cli {
std::vector<std::pair<std::string, std::string>> Terms::Read() const {
  std::vector<std::pair<std::string, std::string>> terms;
  terms.reserve(keep.size());
  // A kept term is its own translation.
  for (const std::string& term : keep) terms.emplace_back(term, term);
  if (glossary.empty()) return terms;
  const int file = open(glossary.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) Fail(glossary + ": cannot be read");
  LineReader reader(file, glossary);
  constexpr size_t kLinesAtOnce = 1024;
  // The glossary has one term a line.
  size_t number = 0;
  for (auto lines = reader.Next(kLinesAtOnce); !lines.empty(); lines = reader.Next(kLinesAtOnce)) {
    for (const std::string& line : lines) {
      ++number;
      const size_t tab = line.find('\t');
      if (line.empty()) continue;
      if (tab == std::string::npos || tab == 0) {
        Fail(glossary + ", line " + std::to_string(number) + ": TERM<TAB>TRANSLATION was expected");
      }
      terms.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    }
  }
  close(file);
  return terms;
}

std::vector<GivenPart> FindTerms(const std::string& line,
                                 const std::vector<std::pair<std::string, std::string>>& terms) {
  std::vector<GivenPart> found, apart;
  for (const auto& [term, translation] : terms) {
    for (size_t at = 0; (at = FindAlone(line, term, at)) != std::string::npos; at += term.size()) {
      found.push_back({at, at + term.size(), translation});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const GivenPart& a, const GivenPart& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  for (GivenPart& part : found) {
    if (apart.empty() || part.begin >= apart.back().end) apart.push_back(std::move(part));
  }
  return apart;
}

}  // namespace qkv::cli
