#include "core/cli/line_workers.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>
#include <thread>

namespace qkv::cli {
namespace {
constexpr size_t kLinesAtOnce = 1024;
}  // namespace

#ifndef __EMSCRIPTEN__
unsigned Processors() { return std::max(1u, std::thread::hardware_concurrency()); }
bool IsWorker() { return false; }
size_t LinesAtOnce(const TranslateOptions&) { return kLinesAtOnce; }
DoneLines ShareLines(const Translators& by, const std::vector<std::string>& lines, size_t done,
                     const std::function<void(size_t)>& shown) {
  return TranslateLines(by, lines, done, shown);
}
void WorkOnLines(const Translators&) { Fail("there are no workers", kFailed); }
#else

// In wasm/command/files.js and web/command/threads.js. To a worker the main thread is number 0.
extern "C" {
int qkvProcessors();
int qkvIsWorker();
void qkvSend(int to, const char* bytes, size_t length);
char* qkvReceive(int from, size_t* length);  // waits; the caller frees it
}

namespace {

constexpr size_t kFewestLines =
    32;  // that a worker gets at least: starting a worker takes as long as about twenty lines

void Send(size_t to, const std::string& message) { qkvSend(static_cast<int>(to), message.data(), message.size()); }
std::string Receive(size_t from) {
  size_t length = 0;
  char* const bytes = qkvReceive(static_cast<int>(from), &length);
  std::string message(bytes, length);
  std::free(bytes);
  return message;
}

// Takes the number before the next line end off `text`.
size_t TakeNumber(std::string_view& text) {
  const size_t end = text.find('\n');
  const size_t number = std::strtoull(std::string(text.substr(0, end)).c_str(), nullptr, 10);
  text.remove_prefix(end + 1);
  return number;
}

// A task: the number of lines before, then the lines, each with its end.
std::string Task(size_t done, std::span<const std::string> lines) {
  std::string task = std::to_string(done) + "\n";
  for (const std::string& line : lines) task += line + "\n";
  return task;
}

// The answer to a task: an exit code, the length of the messages, the messages for standard error, and the output.
std::string AnswerOf(const Translators& by, std::string_view task) {
  const size_t done = TakeNumber(task);
  std::vector<std::string> lines;
  for (size_t end; (end = task.find('\n')) != std::string_view::npos; task.remove_prefix(end + 1)) {
    lines.emplace_back(task.substr(0, end));
  }
  int code = 0;
  std::string messages, written;
  try {
    DoneLines out = TranslateLines(by, lines, done, [](size_t) {});
    messages = std::move(out.warnings);
    for (const std::string& line : out.lines) written += line + "\n";
  } catch (const Failure& failure) {
    code = failure.exit_code;
    messages = failure.message;
  }
  return std::to_string(code) + "\n" + std::to_string(messages.size()) + "\n" + messages + written;
}

// Adds a worker's answer to the finished lines; fails if the worker failed.
void Add(const std::string& answer, DoneLines& done) {
  if (answer.empty()) Fail("a thread has ended: --threads 1 takes less memory");
  std::string_view rest = answer;
  const auto code = static_cast<int>(TakeNumber(rest));
  const size_t messages = TakeNumber(rest);
  if (code != 0) Fail(std::string(rest.substr(0, messages)), code);
  done.warnings += rest.substr(0, messages);
  rest.remove_prefix(messages);
  for (size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    done.lines.emplace_back(rest.substr(0, end));
  }
}

}  // namespace

unsigned Processors() { return static_cast<unsigned>(std::clamp(qkvProcessors(), 1, 4)); }
bool IsWorker() { return qkvIsWorker() != 0; }
size_t LinesAtOnce(const TranslateOptions& options) { return kLinesAtOnce * options.common.threads; }

DoneLines ShareLines(const Translators& by, const std::vector<std::string>& lines, size_t done,
                     const std::function<void(size_t)>& shown) {
  const size_t parts = std::clamp<size_t>(lines.size() / kFewestLines, 1, by.options.common.threads);
  const auto begin = [&](size_t part) { return lines.size() * part / parts; };
  const auto part = [&](size_t i) { return std::span(lines).subspan(begin(i), begin(i + 1) - begin(i)); };
  // The workers get theirs first; this thread does the first part itself.
  for (size_t i = 1; i < parts; ++i) Send(i - 1, Task(done + begin(i), part(i)));
  const std::vector<std::string> own(part(0).begin(), part(0).end());
  DoneLines out = TranslateLines(by, own, done, [&](size_t count) { shown(count * parts); });
  for (size_t i = 1; i < parts; ++i) Add(Receive(i - 1), out);
  return out;
}

void WorkOnLines(const Translators& by) {
  while (true) Send(0, AnswerOf(by, Receive(0)));
}

#endif

}  // namespace qkv::cli
