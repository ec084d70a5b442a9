// qkv completion: how a shell completes the command's names and options, made from the commands themselves.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/cli/describe.h"

namespace qkv::cli {
namespace {

// Text between single quotes of a shell.
std::string ShellQuoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The words that may follow a command: its options.
std::string WordsOf(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : OptionsOf(command)) {
    for (const std::string& name : NamesOf(*option)) words += name + " ";
  }
  return words + "--help";
}

// The names of all options of one kind of value, apart by `between`.
std::string NamesWith(const CLI::App& app, Value value, std::string_view between) {
  std::vector<std::string> names;
  for (const CLI::App* command : CommandsOf(app)) {
    for (const CLI::Option* option : OptionsOf(*command)) {
      if (ValueOf(*option) != value) continue;
      for (std::string& name : NamesOf(*option)) names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return CLI::detail::join(names, std::string(between));
}

// Programmable completion of bash (bash(1)). If a name is an option for a file in one command and for a folder in
// another, files are completed.
void PrintBash(const CLI::App& app) {
  // After an option that takes a file or a folder: their names.
  std::printf(
      "_qkv() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
      "  case $before in\n"
      "    %s) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "    %s) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n"
      "  esac\n"
      "  case ${COMP_WORDS[1]} in\n",
      NamesWith(app, Value::kFile, "|").c_str(), NamesWith(app, Value::kFolder, "|").c_str());
  // Each command's own options.
  std::vector<std::string> names;
  for (const CLI::App* command : CommandsOf(app)) {
    names.push_back(command->get_name());
    std::printf("    %s) words=%s ;;\n", command->get_name().c_str(), ShellQuoted(WordsOf(*command)).c_str());
  }
  // Without a command: the commands and the common options.
  std::printf(
      "  esac\n"
      "  [ \"$COMP_CWORD\" != 1 ] || words=%s\n"
      "  if [[ $COMP_CWORD = 1 || $word = -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
      "}\n"
      "complete -o filenames -F _qkv qkv\n",
      ShellQuoted(CLI::detail::join(names, " ") + " " + WordsOf(app)).c_str());
}

// Completion of fish: one line for each command and each option.
void PrintFish(const CLI::App& app) {
  for (const CLI::App* command : CommandsOf(app)) {
    const std::string name = command->get_name();
    std::printf("complete -c qkv -n __fish_use_subcommand -a %s -d %s\n", name.c_str(),
                ShellQuoted(command->get_description()).c_str());
    for (const CLI::Option* option : OptionsOf(*command)) {
      if (option->get_lnames().empty()) continue;
      std::printf("complete -c qkv -n '__fish_seen_subcommand_from %s' -l %s", name.c_str(),
                  option->get_lnames().front().c_str());
      for (const std::string& letter : option->get_snames()) std::printf(" -s %s", letter.c_str());
      if (ValueOf(*option) != Value::kNone) std::printf(" -r");
      if (ValueOf(*option) == Value::kFolder) std::printf(" -f -a '(__fish_complete_directories)'");
      std::printf(" -d %s\n", ShellQuoted(option->get_description()).c_str());
    }
  }
}

// Completion of zsh by _arguments (zshcompsys(1)): brackets and colons of a description have a meaning.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

void PrintZsh(const CLI::App& app) {
  constexpr std::array kActions{"", ":file:_files", ":folder:_files -/", ":value: "};
  std::printf("#compdef qkv\n_qkv() {\n  local -a commands=(\n");
  for (const CLI::App* command : CommandsOf(app)) {
    std::printf("    %s\n", ShellQuoted(command->get_name() + ":" + ZshText(command->get_description())).c_str());
  }
  std::printf(
      "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  local name=${words[2]}\n  shift words; (( CURRENT-- ))\n  case $name in\n");
  for (const CLI::App* command : CommandsOf(app)) {
    std::printf("    %s) _arguments", command->get_name().c_str());
    for (const CLI::Option* option : OptionsOf(*command)) {
      const std::string action = kActions[static_cast<size_t>(ValueOf(*option))];
      const std::string what = "[" + ZshText(option->get_description()) + "]" + action;
      for (const std::string& name : NamesOf(*option)) std::printf(" %s", ShellQuoted(name + what).c_str());
    }
    std::printf(" '*:file:_files' ;;\n");
  }
  // A file of zsh's functions is the function's body; a script that is sourced registers it.
  std::printf("  esac\n}\nif [ \"$funcstack[1]\" = _qkv ]; then _qkv \"$@\"; else compdef _qkv qkv; fi\n");
}

}  // namespace

void AddCompletion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print the completion of a shell: source <(qkv completion bash)");
  command->add_option("SHELL", *shell, "bash, fish or zsh")->required()->check(CLI::IsMember({"bash", "fish", "zsh"}));
  command->callback([&app, shell] {
    if (*shell == "bash") PrintBash(app);
    if (*shell == "fish") PrintFish(app);
    if (*shell == "zsh") PrintZsh(app);
  });
}

}  // namespace qkv::cli
