// Any bytes as shortlist.bin: an error or a list whose pieces lie in the vocabulary. Half of the inputs get the right
// checksum, which no fuzzer guesses.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/translate/shortlist.h"

namespace {

constexpr size_t kSources = 6, kTargets = 10;

void Mend(std::vector<uint8_t>& file) {
  uint64_t sum = 0, word = 0xF11A48D5013417F5;
  std::memcpy(file.data(), &word, sizeof word);
  for (size_t at = 16; at + sizeof word <= file.size(); at += sizeof word) {
    std::memcpy(&word, file.data() + at, sizeof word);
    sum ^= word + 0x9e3779b9 + (sum << 6) + (sum >> 2);
  }
  std::memcpy(file.data() + 8, &sum, sizeof sum);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace qkv;
  std::vector<uint8_t> file(data, data + size);
  if (size >= 16 && data[0] % 2 == 0) Mend(file);
  const auto shortlist = Shortlist::Parse(file, kSources, kTargets);
  if (!shortlist) return 0;
  const std::vector<int32_t> source = {0, 1, 2, 3, 4, 5}, always = {9};
  const std::vector<int32_t> pieces = shortlist.value().Pieces(source, always);
  if (pieces.empty() || pieces.front() < 0 || pieces.back() != 9) __builtin_trap();
  if (std::adjacent_find(pieces.begin(), pieces.end(), std::greater_equal<>()) != pieces.end()) __builtin_trap();
  return 0;
}
