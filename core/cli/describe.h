// The names of the commands and their options, for the manual page and for the completions of shells.
#pragma once

#include <string>
#include <vector>

#include "core/cli/command.h"

namespace qkv::cli {

inline std::vector<const CLI::App*> CommandsOf(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// All options of a command but --help.
inline std::vector<const CLI::Option*> OptionsOf(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return !option->check_lname("help"); });
}

// "-m", "--model"; empty for a positional argument.
inline std::vector<std::string> NamesOf(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// The kind of value of an option.
enum class Value { kNone, kFile, kFolder, kOther };
inline Value ValueOf(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return Value::kNone;
  const std::string type = option.get_type_name();
  if (type.starts_with("FOLDER")) return Value::kFolder;
  return type.starts_with("FILE") ? Value::kFile : Value::kOther;
}

}  // namespace qkv::cli
