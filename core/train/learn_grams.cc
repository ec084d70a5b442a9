#include "core/train/learn_grams.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/detect/letters.h"
#include "core/text/unicode.h"

namespace qkv {
namespace {

constexpr size_t kMostBytes = 600000;   // of a language's text
constexpr double kTypicalLetters = 20;  // rates become the probability that a text of this many letters has an n-gram
constexpr uint32_t kLeastCount = 4;     // rarer n-grams are not looked at
constexpr double kLeastUse = 0.003;     // of a block in a language's letters, for the language to write with it
constexpr double kLeastProbability = 1e-4;  // of an n-gram in a text
constexpr size_t kNeighbours = 4;
constexpr size_t kComparedLetters = 3;  // neighbours are found by n-grams of so many letters

struct Gram {
  std::string text;
  uint32_t block = 0;
  size_t letters = 0;
  std::vector<std::pair<size_t, double>> probabilities;  // language, probability; ascending
};

double ProbabilityIn(const Gram& gram, size_t language) {
  for (const auto& [each, probability] : gram.probabilities) {
    if (each == language) return std::max(probability, kLeastProbability);
  }
  return kLeastProbability;
}

// The counts of all languages.
struct Counted {
  std::unordered_map<uint32_t, Gram> grams;      // by hash
  std::map<uint32_t, std::set<size_t>> writers;  // block -> languages
  size_t languages = 0;
};

void CountLanguage(size_t language, std::string_view text, Counted& counted) {
  struct One {
    uint32_t count, first, letters;
  };
  // How often each block of Unicode and each n-gram occurs.
  const std::vector<Letter> letters = ReadLetters(text, text.size());
  std::unordered_map<uint32_t, One> counts;
  std::map<uint32_t, size_t> blocks;
  size_t total = 0;
  for (const Letter& letter : letters) {
    if (letter.code_point == kEdge) continue;
    ++blocks[BlockOf(letter.code_point)];
    ++total;
  }
  ForEachGram(letters, [&](uint32_t hash, size_t first, size_t count) {
    One& one =
        counts.try_emplace(hash, One{0, static_cast<uint32_t>(first), static_cast<uint32_t>(count)}).first->second;
    ++one.count;
  });
  // A language writes a block if a share of its letters is of it.
  const double scale = kTypicalLetters / static_cast<double>(std::max<size_t>(total, 1));
  for (const auto& [block, count] : blocks) {
    if (static_cast<double>(count) >= kLeastUse * static_cast<double>(total)) counted.writers[block].insert(language);
  }
  // The probability that a text of typical length has the n-gram: 1 - exp(-expected count).
  for (const auto& [hash, one] : counts) {
    if (one.count < kLeastCount) continue;
    Gram& gram = counted.grams[hash];
    if (gram.text.empty()) {
      for (size_t i = one.first; i < one.first + one.letters; ++i) AppendUtf8(letters[i].code_point, gram.text);
      const bool edge = letters[one.first].code_point == kEdge;
      gram.block = BlockOf(letters[one.first + (edge ? 1 : 0)].code_point);
      gram.letters = one.letters;
    }
    gram.probabilities.emplace_back(language, 1 - std::exp(-scale * one.count));
  }
}

// The mutual information of the presence of an n-gram with the language, which is uniform among the languages that
// write with its block; times their number.
double Information(const Gram& gram, const std::set<size_t>& writers) {
  if (writers.size() < 2) return 0;
  double mean = 0, sum = 0;
  for (const size_t language : writers) mean += ProbabilityIn(gram, language);
  mean /= static_cast<double>(writers.size());
  for (const size_t language : writers) {
    const double p = ProbabilityIn(gram, language);
    sum += p * std::log(p / mean) + (1 - p) * std::log((1 - p + 1e-9) / (1 - mean + 1e-9));
  }
  return sum;
}

using Ranking = std::vector<std::pair<double, uint32_t>>;  // value, hash; the best last

void Rank(Ranking& ranking) { std::sort(ranking.begin(), ranking.end()); }

// The languages whose common n-grams are most like a language's: cosine of the probabilities.
std::vector<std::vector<size_t>> NeighboursOf(const Counted& counted) {
  const size_t n = counted.languages;
  std::vector<double> products(n * n);
  for (const auto& [hash, gram] : counted.grams) {
    if (gram.letters > kComparedLetters) continue;
    for (const auto& [a, p] : gram.probabilities) {
      for (const auto& [b, q] : gram.probabilities) products[a * n + b] += p * q;
    }
  }
  std::vector<std::vector<size_t>> neighbours(n);
  for (size_t a = 0; a < n; ++a) {
    std::vector<std::pair<double, size_t>> near;
    for (size_t b = 0; b < n; ++b) {
      const double size = std::sqrt(products[a * n + a] * products[b * n + b]);
      constexpr double kAlike = 0.2;
      if (a != b && products[a * n + b] > kAlike * size) near.emplace_back(-products[a * n + b] / size, b);
    }
    std::sort(near.begin(), near.end());
    for (size_t i = 0; i < std::min(kNeighbours, near.size()); ++i) neighbours[a].push_back(near[i].second);
  }
  return neighbours;
}

// One ranking of all n-grams by information, then one for each pair of neighbours.
std::vector<Ranking> RankAll(const Counted& counted) {
  std::vector<Ranking> rankings(1);
  const std::vector<std::vector<size_t>> neighbours = NeighboursOf(counted);
  // A place for each pair of neighbours.
  std::map<std::pair<size_t, size_t>, size_t> pairs;
  for (size_t a = 0; a < counted.languages; ++a) {
    for (const size_t b : neighbours[a]) pairs.emplace(std::minmax(a, b), 0);
  }
  for (auto& [pair, place] : pairs) {
    place = rankings.size();
    rankings.emplace_back();
  }
  // The value of each n-gram for each of the rankings.
  for (const auto& [hash, gram] : counted.grams) {
    const auto writers = counted.writers.find(gram.block);
    if (writers == counted.writers.end() || writers->second.size() < 2) continue;
    rankings[0].emplace_back(Information(gram, writers->second), hash);
    for (const auto& [a, probability] : gram.probabilities) {
      for (size_t b = 0; b < counted.languages; ++b) {
        if (a == b) continue;
        const auto pair = pairs.find(std::minmax(a, b));
        const double p = probability, q = ProbabilityIn(gram, b);
        // If both languages have the n-gram, the pair is found twice: it counts once, from the likelier language.
        if (pair == pairs.end() || p <= q) continue;
        rankings[pair->second].emplace_back((p - q) * std::log(p / q), hash);
      }
    }
  }
  for (Ranking& ranking : rankings) Rank(ranking);
  return rankings;
}

}  // namespace

void GramLearner::Add(std::string_view language, std::string_view text) {
  auto found = texts_.find(language);
  if (found == texts_.end()) found = texts_.emplace(std::string(language), std::string()).first;
  if (found->second.size() > kMostBytes) return;
  found->second += text;
  found->second += '\n';
}

std::string GramLearner::Choose(size_t rows) const {
  Counted counted;
  for (const auto& [language, text] : texts_) CountLanguage(counted.languages++, text, counted);
  // Every block that a language writes has a row.
  std::string lines;
  std::set<uint32_t> taken;
  for (const auto& [block, writers] : counted.writers) {
    if (!taken.insert(HashOfBlock(block)).second) continue;
    char line[16];
    std::snprintf(line, sizeof line, "U+%04X\n", block < 0x1000 ? block << 7 : (block - 0x1000) << 12);
    lines += line;
  }
  // The other rows go to n-grams, the best of each ranking first.
  std::vector<Ranking> rankings = RankAll(counted);
  const auto take = [&](Ranking& ranking) {
    while (!ranking.empty()) {
      const uint32_t hash = ranking.back().second;
      ranking.pop_back();
      if (!taken.insert(hash).second) continue;
      lines += counted.grams.at(hash).text + "\n";
      return true;
    }
    return false;
  };
  // Takes as many by information as by all pairs together.
  for (bool any = true; any && taken.size() < rows;) {
    any = false;
    for (size_t i = 1; i < std::max<size_t>(rankings.size(), 2) && taken.size() < rows; ++i) {
      any |= take(rankings[0]);
      if (i < rankings.size() && taken.size() < rows) any |= take(rankings[i]);
    }
  }
  return lines;
}

}  // namespace qkv
