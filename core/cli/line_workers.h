// Threads that translate lines beside the main one in Node, where a program of WebAssembly has one thread: each worker
// is this command once more, with the same arguments and a copy of the model. Natively there are none, since there the
// threads of a ThreadPool share each product.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/cli/translate_lines.h"

namespace qkv::cli {

// Whether this is a worker, and not the command that a user started.
bool IsWorker();

// How many lines are taken at once, so that each thread has enough of them.
size_t LinesAtOnce(const TranslateOptions& options);

// As TranslateLines, by as many threads as the options say, or fewer if there are few lines. The lines, their order and
// the first error are the same for any number of threads.
DoneLines ShareLines(const Translators& by, const std::vector<std::string>& lines, size_t done,
                     const std::function<void(size_t)>& shown);

// A worker: translates what the main thread sends, until the process ends.
[[noreturn]] void WorkOnLines(const Translators& by);

}  // namespace qkv::cli
