#include "core/cli/calibration_texts.h"

#include <algorithm>

#include "core/cli/command.h"
#include "core/io/files.h"

namespace qkv::cli {
namespace {

constexpr size_t kLargestTexts = size_t{64} << 20;

}  // namespace

std::vector<std::string> TextsOrFail(const std::string& path) {
  const std::string content = OrFail(ReadWholeFile(path, kLargestTexts));
  std::vector<std::string> texts;
  for (size_t at = 0; at < content.size();) {
    const size_t end = std::min(content.find('\n', at), content.size());
    texts.push_back(content.substr(at, std::min(content.find('\t', at), end) - at));
    at = end + 1;
  }
  if (texts.empty()) Fail(path + ": there is no text in it");
  return texts;
}

}  // namespace qkv::cli
