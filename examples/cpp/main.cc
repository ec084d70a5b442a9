// Translates standard input with a model folder: one line in, one line out.
#include <cstdio>
#include <iostream>
#include <string>

#include "core/qkv.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: translate FOLDER < lines\n", stderr);
    return 2;
  }
  auto model = qkv::LoadFolder(argv[1]);
  if (!model) {
    std::fprintf(stderr, "%s\n", model.error().ToString().c_str());
    return 1;
  }

  qkv::Arena arena;         // memory of a step; the next step uses it again
  qkv::ThreadPool pool(2);  // this thread and one more
  qkv::Context context{arena, pool};
  for (std::string line; std::getline(std::cin, line);) {
    qkv::TranslationJob job(**model, {line}, {});
    while (!job.Step(context)) {
    }
    std::cout << job.results().front().text << '\n';
  }
}
