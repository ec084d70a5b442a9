#include "core/base/error.h"

namespace qkv {

std::string_view Name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case ErrorCode::kInvalidFile:
      return "INVALID_FILE";
    case ErrorCode::kMissingFile:
      return "MISSING_FILE";
    case ErrorCode::kUnsupported:
      return "UNSUPPORTED";
    case ErrorCode::kLimitExceeded:
      return "LIMIT_EXCEEDED";
  }
  return "UNKNOWN";
}

std::string Error::ToString() const {
  std::string text(Name(code));
  text += ": ";
  if (!where.empty()) text += where + ": ";
  return text + message;
}

}  // namespace qkv
