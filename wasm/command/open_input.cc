// Standard input and files for the command in Node: its main thread reads and unpacks them, so that it hears signals
// while the command waits for lines.
#include <cstdint>
#include <cstring>

#include "core/cli/byte_input.h"
#include "core/cli/command.h"
#include "core/cli/zstd_stream.h"

// In wasm/command/input.js.
extern "C" {
void qkvOpenInput(const char* path);  // empty: standard input
// Waits for the next bytes. Returns their number, 0 at the end, -1 after an error, -2 if the file cannot be opened. The
// `number` of an error is that of errno, or 0 if the gzip data is damaged, as `reason` says.
int qkvNextInput(int* number, char* reason, int size);
void qkvTakeInput(char* to);
int qkvInputReady();
double qkvInputShare();
}

namespace qkv::cli {
namespace {

class NodeInput : public ByteInput {
 public:
  // Without a path it is standard input.
  explicit NodeInput(std::string path) : path_(std::move(path)) { qkvOpenInput(path_.c_str()); }

  size_t Read(std::string& to) override {
    char reason[256];
    int number = 0;
    const int count = qkvNextInput(&number, reason, sizeof reason);
    if (count < 0) FailToRead(count == -2 ? ErrorCode::kMissingFile : ErrorCode::kInvalidFile, number, reason);
    const size_t size = to.size();
    to.resize(size + static_cast<size_t>(count));
    if (count > 0) qkvTakeInput(to.data() + size);
    return static_cast<size_t>(count);
  }
  bool Ready() override { return qkvInputReady() != 0; }
  double Share() const override { return qkvInputShare(); }

 private:
  // The messages of PlainInput and GzipFile.
  [[noreturn]] void FailToRead(ErrorCode code, int number, const char* reason) const {
    if (path_.empty()) Fail(std::string("standard input cannot be read: ") + std::strerror(number));
    const std::string what = number == 0 ? std::string("the gzip data is damaged: ") + reason
                                         : std::string("cannot be read: ") + std::strerror(number);
    Fail(Error{code, what, path_}.ToString());
  }

  std::string path_;
};

}  // namespace

std::unique_ptr<ByteInput> StandardInput() { return std::make_unique<NodeInput>(""); }

std::unique_ptr<ByteInput> OpenInput(const std::string& path) {
  if (IsZstd(path)) CheckZstd(path);
  return std::make_unique<NodeInput>(path);
}

}  // namespace qkv::cli
