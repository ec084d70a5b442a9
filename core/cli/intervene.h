// Changes to a model's forward from a file: --interventions.
#pragma once

#include <memory>
#include <string>

#include "core/cli/command.h"
#include "core/explain/change_list.h"

namespace qkv::cli {

class InterventionsFile {
 public:
  // `call`: the call in the option list, "translate" or "generate".
  void AddTo(CLI::App& command, const char* call = "translate");
  // Reads the file and checks it against the model; fails if it is wrong. Nothing without the option.
  void Read(const ChangeablePlaces& places);

  const std::shared_ptr<const ChangeList>& changes() const { return changes_; }
  // The description; empty without the option.
  const std::string& text() const { return text_; }
  CLI::Option* option() const { return option_; }

 private:
  std::string name_, text_;
  std::shared_ptr<const ChangeList> changes_;
  CLI::Option* option_ = nullptr;
};

}  // namespace qkv::cli
