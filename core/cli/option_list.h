// The options of translation and generation: one list of their names, ranges and meanings. The commands take their
// options from it, and `qkv options` prints it. tests/cli/options.test.js compares it with what JavaScript accepts,
// with the types, and with web/docs/options.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/cli/command.h"

namespace qkv::cli {

struct ListedOption {
  // kWhole and kNumber have a range. kText may be given several times.
  enum class Kind { kWhole, kNumber, kFlag, kText };
  enum class In { kBoth, kCommand, kJavaScript };

  const char* call;  // "translate" or "generate"
  const char* name;  // in JavaScript; the command writes maxLength as --max-length
  Kind kind;
  double least, most;   // of a number
  const char* absent;   // the default; of a flag "true" or "false"
  const char* meaning;  // of a flag: what true does
  In in;
};

// The entry of that name. It must exist.
const ListedOption& FindOption(std::string_view call, std::string_view name);

// "maxLength" becomes "--max-length". "shortlist", which is true by default, becomes "--no-shortlist".
std::string FlagOf(const ListedOption& option);

// The text in the help of the command.
std::string HelpOf(const ListedOption& option);

// Adds an option of the list to a command. `other` is a further name of it, such as "--length".
template <class T>
CLI::Option* AddListed(CLI::App& command, const char* call, const char* name, T& to, const char* other = nullptr) {
  const ListedOption& option = FindOption(call, name);
  const std::string flag = FlagOf(option);
  if constexpr (std::is_same_v<T, bool>) {
    return command.add_flag((to ? "!" : "") + flag, to, HelpOf(option));
  } else {
    CLI::Option* const added =
        command.add_option(flag + (other != nullptr ? std::string(",") + other : ""), to, HelpOf(option));
    if (option.kind == ListedOption::Kind::kNumber) added->check(CLI::Range(option.least, option.most));
    if (option.kind == ListedOption::Kind::kWhole) {
      added->check(CLI::Range(static_cast<int64_t>(option.least), static_cast<int64_t>(option.most)));
    }
    return added;
  }
}

}  // namespace qkv::cli
