// qkv man: the manual page, made from the commands and their options.
#include <string_view>

#include "core/cli/describe.h"

namespace qkv::cli {
namespace {

// Text of a manual page (man-pages(7)): a backslash, a hyphen and a point at the beginning of a line have a meaning.
std::string Roff(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    begins = c == '\n';
  }
  return out;
}

// "\fB\-\-model\fR \fIFOLDER\fR": the names of an option, and its value.
std::string RoffNames(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : NamesOf(option)) names += (names.empty() ? "" : ", ") + ("\\fB" + Roff(name) + "\\fR");
  if (names.empty()) return "\\fI" + Roff(option.get_name(true)) + "\\fR";
  if (ValueOf(option) == Value::kNone) return names;
  const std::string type = option.get_type_name();
  const bool number = type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT");
  return names + " \\fI" + (number ? "NUMBER" : Roff(type.substr(0, type.find(':')))) + "\\fR";
}

void PrintRoffOptions(const CLI::App& command) {
  for (const CLI::Option* option : OptionsOf(command)) {
    if (option->get_description().empty()) continue;
    std::printf(".TP\n%s\n%s\n", RoffNames(*option).c_str(), Roff(option->get_description()).c_str());
  }
}

void PrintManual(const CLI::App& app) {
  std::printf(".TH QKV 1 \"\" \"qkv %s\" \"User Commands\"\n", QKV_VERSION);
  std::printf(".SH NAME\nqkv \\- translate with an attention model, and see what it looked at\n");
  std::printf(".SH SYNOPSIS\n\\fBqkv\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n.nf\n%s\n.fi\n",
              Roff(app.get_description()).c_str());
  std::printf(".SH OPTIONS\n");
  PrintRoffOptions(app);
  std::printf(".SH COMMANDS\n");
  for (const CLI::App* command : CommandsOf(app)) {
    std::printf(".SS qkv %s\n%s\n", Roff(command->get_name()).c_str(), Roff(command->get_description()).c_str());
    PrintRoffOptions(*command);
  }
}

}  // namespace

void AddManual(CLI::App& app) {
  app.add_subcommand("man", "Print the manual page: qkv man | man -l -")->callback([&app] { PrintManual(app); });
}

}  // namespace qkv::cli
