#include "core/cli/intervene.h"

#include <fstream>
#include <iterator>

#include "core/base/json.h"
#include "core/cli/option_list.h"

namespace qkv::cli {

void InterventionsFile::AddTo(CLI::App& command, const char* call) {
  option_ = AddListed(command, call, "interventions", name_, "--intervene")->check(NotEmpty())->type_name("FILE");
}

void InterventionsFile::Read(const ChangeablePlaces& places) {
  if (name_.empty()) return;
  std::ifstream file(name_, std::ios::binary);
  if (!file) Fail(name_ + ": cannot be read");
  text_.resize(kLargestConfig + 1);
  file.read(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.resize(static_cast<size_t>(file.gcount()));
  Result<std::shared_ptr<const ChangeList>> parsed = ParseChanges(text_, places);
  if (!parsed) Fail(name_ + ": " + parsed.error().ToString());
  changes_ = std::move(*parsed);
}

}  // namespace qkv::cli
