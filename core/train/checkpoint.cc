#include "core/train/checkpoint.h"

#include <algorithm>
#include <filesystem>

#include "core/base/json.h"
#include "core/io/feed_all.h"
#include "core/io/files.h"
#include "core/io/mapped_file.h"
#include "core/io/safetensors.h"
#include "core/io/safetensors_writer.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "checkpoint-";
constexpr const char* kNumbers = "progress.json";
constexpr const char* kTensors = "state.safetensors";

fs::path FolderOf(const std::string& folder, uint64_t step) {
  return fs::path(folder) / (std::string(kPrefix) + std::to_string(step));
}

// Checkpoints of a folder by step.
std::vector<uint64_t> Steps(const std::string& folder) {
  std::vector<uint64_t> steps;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    const std::string number = name.substr(kPrefix.size());
    const bool digits = !number.empty() && number.size() < 19 &&
                        std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) steps.push_back(std::stoull(number));
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

}  // namespace

Result<void> SaveCheckpoint(const std::string& folder, Trainer& trainer, const RunPlace& progress) {
  const fs::path to = FolderOf(folder, progress.step), part = fs::path(folder) / "checkpoint.part";
  const std::vector<uint64_t> before = Steps(folder);
  std::error_code error;
  fs::remove_all(part, error);
  if (!fs::create_directories(part, error)) {
    return Error{ErrorCode::kInvalidFile, "cannot be made: " + error.message(), part.string()};
  }
  QKV_CHECK(WriteWholeFile((part / kTensors).string(),
                           [&](const ByteSink& out) { WriteSafetensors(trainer.State(), FloatsAs::kF32, out); }));
  QKV_CHECK(WriteWholeFile((part / kNumbers).string(), ToJson(progress)));
  fs::remove_all(to, error);
  fs::rename(part, to, error);
  if (error) return Error{ErrorCode::kInvalidFile, "cannot be written: " + error.message(), to.string()};
  for (const uint64_t step : before) {
    if (step < progress.step) fs::remove_all(FolderOf(folder, step), error);
  }
  return {};
}

std::optional<uint64_t> LatestCheckpoint(const std::string& folder) {
  const std::vector<uint64_t> steps = Steps(folder);
  // A checkpoint that was being removed lacks a file.
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const fs::path at = FolderOf(folder, *step);
    std::error_code error;
    if (fs::exists(at / kNumbers, error) && fs::exists(at / kTensors, error)) return *step;
  }
  return {};
}

Result<RunPlace> LoadCheckpoint(const std::string& folder, Trainer& trainer) {
  const std::optional<uint64_t> step = LatestCheckpoint(folder);
  if (!step) return Error{ErrorCode::kMissingFile, "has no checkpoint to resume from", folder};
  const fs::path at = FolderOf(folder, *step);
  QKV_TRY(const std::string numbers, ReadWholeFile((at / kNumbers).string(), kLargestConfig));
  QKV_TRY(RunPlace progress, ParseRunPlace(numbers));
  // A reader allocates its own memory, and the addresses of the trainer's weights must not change.
  WeightCopies loaded(trainer.State());
  QKV_TRY(const MappedFile tensors, MappedFile::Open(at.string(), kTensors));
  SafetensorsReader reader(loaded.slots(), tensors.bytes().size(), PTRDIFF_MAX, (at / kTensors).string());
  QKV_CHECK(FeedAll(reader, tensors.bytes()));
  trainer.Resume(loaded.slots(), progress.step, progress.averaged);
  return progress;
}

}  // namespace qkv
