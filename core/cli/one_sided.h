// Shared by the commands for encoders and generators.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "core/cli/command.h"
#include "core/load/folder.h"

namespace qkv::cli {

struct AnyCommon {
  Common common;
  bool int8 = false;
};

inline void AddAnyModel(CLI::App& command, AnyCommon& options, const char* layouts) {
  command.add_option("-m,--model", options.common.model, std::string("model folder: ") + layouts)
      ->required()
      ->envname("QKV_MODEL")
      ->check(NotEmpty())
      ->type_name("FOLDER");
  command.add_flag("--int8", options.int8, "round the weights to int8 as they are read");
}

inline LoadedFolder LoadAnyOrFail(const AnyCommon& options) {
  return OrFail(LoadAnyFolder(options.common.model, options.int8 ? ArriveAs::kInt8 : ArriveAs::kStored));
}

// The model, if it is of the kind that the command needs.
template <class Model>
std::unique_ptr<Model> LoadKindOrFail(const AnyCommon& options, const char* wanted) {
  LoadedFolder loaded = LoadAnyOrFail(options);
  auto* model = std::get_if<std::unique_ptr<Model>>(&loaded.model);
  if (model == nullptr) Fail(options.common.model + ": this command is for " + wanted);
  return std::move(*model);
}

}  // namespace qkv::cli
