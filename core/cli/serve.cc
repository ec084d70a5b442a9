// qkv serve, in Node: shows the pages. The options are read here, as those of all commands are; web/command/serve.js
// serves.
#ifdef __EMSCRIPTEN__
#include "core/cli/command.h"

extern "C" void qkvServe(int port, const char* host);  // in wasm/command/files.js: begins when the command has ended

namespace qkv::cli {

void AddServe(CLI::App& app) {
  struct Options {
    int port = 0;
    std::string host = "localhost";
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("serve", "Show the demo's pages on this machine: npm install qkv-demo");
  command->add_option("--port", options->port, "port; without it 8080, or any one that is free")
      ->check(CLI::Range(1, 65535));
  command->add_option("--host", options->host, "name or address to listen at; 0.0.0.0 is all of this machine's")
      ->check(NotEmpty())
      ->capture_default_str();
  command->callback([options] { qkvServe(options->port, options->host.c_str()); });
}

}  // namespace qkv::cli
#endif
