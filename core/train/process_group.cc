#include "core/train/process_group.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/train/backoff.h"

namespace qkv {
namespace {

// The outcome of one process.
struct Report {
  bool failed = false;
  ErrorCode code = {};
  char message[700] = {}, where[300] = {};

  static Report Of(const Result<void>& result) {
    Report report;
    if (result) return report;
    report.failed = true;
    report.code = result.error().code;
    std::strncpy(report.message, result.error().message.c_str(), sizeof report.message - 1);
    std::strncpy(report.where, result.error().where.c_str(), sizeof report.where - 1);
    return report;
  }
};

}  // namespace

Result<void> ProcessGroup::Wait(Result<Processes::Transfer> transfer) {
  QKV_CHECK(transfer);
  for (Backoff backoff;; backoff.Pause()) {
    QKV_TRY(const bool ended, processes_->Ended(*transfer));
    if (ended) return {};
  }
}

Result<void> ProcessGroup::AllGather(const void* mine, void* all, size_t bytes) {
  return Wait(processes_->AllGather(mine, all, bytes));
}

std::string ProcessGroup::Called(size_t process) const {
  return "process " + std::to_string(process) + " of " + std::to_string(count());
}

// All processes get the outcomes of all, so all find the same first failure.
Result<void> ProcessGroup::Agree(const Result<void>& mine) {
  if (processes_ == nullptr) return mine;
  const Report report = Report::Of(mine);
  std::vector<Report> reports(count());
  QKV_CHECK(AllGather(&report, reports.data(), sizeof report));
  const auto failed = std::find_if(reports.begin(), reports.end(), [](const Report& one) { return one.failed; });
  if (failed == reports.end()) return {};
  all_failed_ = true;
  if (!first()) return Error{failed->code, "process 0 has the reason", ""};
  const auto process = static_cast<size_t>(failed - reports.begin());
  if (process == 0) return mine;
  return Error{failed->code, failed->message, Called(process) + (*failed->where != 0 ? ", " : "") + failed->where};
}

// Every process adds in the same order, so that all have the same bits.
Result<void> ProcessGroup::Sum(std::span<double> numbers) {
  if (processes_ == nullptr) return {};
  std::vector<double> all(numbers.size() * count());
  QKV_CHECK(AllGather(numbers.data(), all.data(), numbers.size_bytes()));
  std::copy_n(all.begin(), numbers.size(), numbers.begin());
  for (size_t i = numbers.size(); i < all.size(); ++i) numbers[i % numbers.size()] += all[i];
  return {};
}

// Every process has all hashes and finds the same first one that differs.
Result<void> ProcessGroup::CheckSame(uint64_t hash, const std::string& message) {
  if (processes_ == nullptr) return {};
  std::vector<uint64_t> all(count());
  QKV_CHECK(AllGather(&hash, all.data(), sizeof hash));
  const auto other = std::find_if(all.begin(), all.end(), [&](uint64_t one) { return one != all[0]; });
  if (other == all.end()) return {};
  const std::string name = Called(static_cast<size_t>(other - all.begin()));
  return Agree(Error{ErrorCode::kInvalidArgument, message, name});
}

// In parts, because the size of a message is limited.
Result<void> ProcessGroup::Broadcast(void* data, size_t bytes) {
  if (processes_ == nullptr) return {};
  for (size_t at = 0; at < bytes; at += Processes::kMostBytes) {
    const size_t part = std::min(bytes - at, Processes::kMostBytes);
    QKV_CHECK(Wait(processes_->Broadcast(static_cast<std::byte*>(data) + at, part)));
  }
  return {};
}

Result<void> ProcessGroup::Broadcast(std::string& text) {
  uint64_t size = text.size();
  QKV_CHECK(Broadcast(&size, sizeof size));
  text.resize(size);
  return Broadcast(text.data(), size);
}

}  // namespace qkv
