#include "core/io/npz_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/io/inflate.h"

namespace qkv {
namespace {

constexpr size_t kMostMembers = 4096, kHeadMost = 4096;
constexpr uint32_t kEndMark = 0x06054b50, kListMark = 0x02014b50, kMemberMark = 0x04034b50;
constexpr size_t kEndSize = 22, kListSize = 46, kMemberSize = 30, kLongestComment = 0xffff;
constexpr uint64_t kDeflateMost = 1032;  // the most bytes that deflate makes of one byte
constexpr uint64_t kFloat32 = 0x404, kInt8 = 0x101;

// Reads a little-endian number of the zip. The caller has checked that its bytes exist.
template <class T>
T At(std::span<const uint8_t> bytes, uint64_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void Append(std::vector<uint8_t>& to, T value) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

// The text after 'key': in the header of a .npy.
std::string_view ValueOf(std::string_view head, std::string_view key) {
  const size_t at = head.find(key);
  if (at == std::string_view::npos) return {};
  const size_t begin = head.find_first_not_of(" :", at + key.size());
  return begin == std::string_view::npos ? std::string_view() : head.substr(begin);
}

// Reads a shape: "(2, 3)", "(3,)" or "()".
bool ReadShape(std::string_view text, std::vector<int32_t>& shape) {
  if (!text.starts_with('(')) return false;
  text.remove_prefix(1);
  while (!text.starts_with(')')) {
    int32_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size <= 0 || shape.size() == 8) return false;
    shape.push_back(size);
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(", L"), text.size()));
  }
  return true;
}

}  // namespace

Error NpzFile::Invalid(const std::string& member, std::string message) const {
  return {ErrorCode::kInvalidFile, std::move(message), member.empty() ? path_ : path_ + ", " + member};
}

Result<NpzFile> NpzFile::Open(const std::string& folder, const std::string& name) {
  NpzFile file;
  file.path_ = name;
  QKV_TRY(file.zip_, MappedFile::Open(folder, name));
  QKV_CHECK(file.ReadList());
  for (Member& member : file.members_) {
    QKV_CHECK(file.FindData(member));
    QKV_TRY(const std::vector<uint8_t> begin, file.Unpack(member, kHeadMost));
    QKV_CHECK(file.ReadHead(member, begin));
  }
  file.MakeHeader();
  return file;
}

// Reads the list of members, which the end of the file points to.
Result<void> NpzFile::ReadList() {
  const std::span<const uint8_t> zip = zip_.bytes();
  if (zip.size() < kEndSize) return Invalid("", "it is not a zip: fetch it again");
  // Finds the end record by searching backwards from the end of the file.
  size_t end = zip.size() - kEndSize;
  const size_t first = end - std::min(end, kLongestComment);
  while (end > first && At<uint32_t>(zip, end) != kEndMark) --end;
  if (At<uint32_t>(zip, end) != kEndMark) return Invalid("", "it is not a zip, or is cut short: fetch it again");
  // Reads the place of the list, then its entries one after the other.
  const size_t count = At<uint16_t>(zip, end + 10);
  uint64_t at = At<uint32_t>(zip, end + 16);
  if (count == 0xffff || at == 0xffffffff) return Error{ErrorCode::kUnsupported, "it is a zip64", path_};
  if (count == 0 || count > kMostMembers) {
    return Error{ErrorCode::kLimitExceeded, "it has " + std::to_string(count) + " members; 1 to 4096 can be read",
                 path_};
  }
  for (size_t i = 0; i < count; ++i) {
    const std::string number = "member " + std::to_string(i);
    if (at + kListSize > end || At<uint32_t>(zip, at) != kListMark) return Invalid(number, "its entry is damaged");
    const uint64_t name = At<uint16_t>(zip, at + 28);
    if (at + kListSize + name > end) return Invalid(number, "its name ends past the list");
    Member member;
    member.name.assign(reinterpret_cast<const char*>(zip.data() + at + kListSize), name);
    if (member.name.ends_with(".npy")) member.name.resize(name - 4);
    const uint16_t flags = At<uint16_t>(zip, at + 8), method = At<uint16_t>(zip, at + 10);
    if ((flags & 1) != 0 || (method != 0 && method != 8)) {
      return Error{ErrorCode::kUnsupported, "members may be stored or deflated", path_ + ", " + member.name};
    }
    member.deflated = method == 8;
    member.checksum = At<uint32_t>(zip, at + 16);
    member.packed = At<uint32_t>(zip, at + 20);
    member.size = At<uint32_t>(zip, at + 24);
    member.at = At<uint32_t>(zip, at + 42);
    members_.push_back(std::move(member));
    at += kListSize + name + At<uint16_t>(zip, at + 30) + At<uint16_t>(zip, at + 32);
  }
  return {};
}

// Finds a member's data, and checks that it is as long as the list says.
Result<void> NpzFile::FindData(Member& member) const {
  const std::span<const uint8_t> zip = zip_.bytes();
  if (member.at + kMemberSize > zip.size() || At<uint32_t>(zip, member.at) != kMemberMark) {
    return Invalid(member.name, "it is not where the list says");
  }
  member.at += kMemberSize + At<uint16_t>(zip, member.at + 26) + At<uint16_t>(zip, member.at + 28);
  if (member.at > zip.size() || member.packed > zip.size() - member.at) {
    return Invalid(member.name, "its data ends past the end of the file");
  }
  if (member.deflated ? member.size > member.packed * kDeflateMost : member.size != member.packed) {
    return Invalid(member.name, "its data cannot become as many bytes as the list says");
  }
  return {};
}

// Unpacks the first bytes of a member, or all of it. The length and the checksum of a whole member are checked.
Result<std::vector<uint8_t>> NpzFile::Unpack(const Member& member, uint64_t most) const {
  const uint8_t* const data = zip_.bytes().data() + member.at;
  std::vector<uint8_t> bytes(std::min(member.size, most));
  if (!member.deflated) {
    std::copy_n(data, bytes.size(), bytes.begin());
  } else if (!Inflate({data, static_cast<size_t>(member.packed)}, bytes)) {
    return Invalid(member.name, "what is deflated is damaged");
  }
  // The checksum is of the whole member.
  const bool all = bytes.size() == member.size;
  if (all && Crc32(bytes) != member.checksum) {
    return Invalid(member.name, "its checksum is wrong: fetch the file again");
  }
  return bytes;
}

// Reads the header of a .npy: its magic number, a version, its own length, and a Python dictionary.
Result<void> NpzFile::ReadHead(Member& member, std::span<const uint8_t> begin) const {
  constexpr std::string_view kMark = "\x93NUMPY";
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  if (text.size() < 12 || !text.starts_with(kMark)) return Invalid(member.name, "it is not a .npy");
  // Versions 2 and 3 have four bytes for the length of the header, version 1 has two.
  const bool first = begin[6] == 1;
  const uint64_t length = first ? At<uint16_t>(begin, 8) : At<uint32_t>(begin, 8);
  member.head = (first ? 10 : 12) + length;
  if (member.head > text.size()) return Invalid(member.name, "the head of its .npy ends past its data");
  const std::string_view head = text.substr(0, member.head);
  // The dictionary: type, order and shape.
  const std::string_view type = ValueOf(head, "'descr'").substr(0, 5);
  const bool floats = type == "'<f4'";
  if (!floats && type != "'|i1'" && type != "'|u1'" && type != "'<i1'") {
    return Error{ErrorCode::kUnsupported, "its numbers are " + std::string(type) + "; '<f4' is read",
                 path_ + ", " + member.name};
  }
  member.type = floats ? kFloat32 : kInt8;
  if (ValueOf(head, "'fortran_order'").starts_with("True")) {
    return Error{ErrorCode::kUnsupported, "it is in Fortran order, by columns; C order is read",
                 path_ + ", " + member.name};
  }
  if (!ReadShape(ValueOf(head, "'shape'"), member.shape)) return Invalid(member.name, "its shape cannot be read");
  // The data must have exactly the bytes of the shape.
  uint64_t bytes = floats ? sizeof(float) : 1;
  for (const int32_t size : member.shape) {
    bytes *= static_cast<uint64_t>(size);
    if (bytes > member.size) break;
  }
  if (bytes != member.size - member.head) return Invalid(member.name, "its data is not of its shape");
  return {};
}

// Makes the header of Marian's binary file. The numbers follow it without padding.
void NpzFile::MakeHeader() {
  Append(header_, uint64_t{1});
  Append(header_, uint64_t{members_.size()});
  for (const Member& member : members_) {
    Append(header_, uint64_t{member.name.size() + 1});
    Append(header_, member.type);
    Append(header_, uint64_t{member.shape.size()});
    Append(header_, member.size - member.head);
  }
  for (const Member& member : members_) {
    header_.insert(header_.end(), member.name.c_str(), member.name.c_str() + member.name.size() + 1);
  }
  for (const Member& member : members_) {
    for (const int32_t size : member.shape) Append(header_, size);
  }
  Append(header_, uint64_t{0});  // padding
  uint64_t at = header_.size();
  for (Member& member : members_) {
    member.begin = at;
    at += member.size - member.head;
  }
}

Result<std::vector<uint8_t>> NpzFile::Read(ByteRange range) {
  if (range.offset < header_.size()) {
    const uint64_t end = std::min<uint64_t>(header_.size(), range.offset + range.length);
    return std::vector<uint8_t>(header_.begin() + static_cast<ptrdiff_t>(range.offset),
                                header_.begin() + static_cast<ptrdiff_t>(end));
  }
  // The member in which the range begins. A reader asks for at most one tensor at once.
  const auto after = std::upper_bound(members_.begin(), members_.end(), range.offset,
                                      [](uint64_t offset, const Member& member) { return offset < member.begin; });
  const Member& member = *(after - 1);
  const auto index = static_cast<size_t>(&member - members_.data());
  if (index != unpacked_) {
    unpacked_ = SIZE_MAX;
    QKV_TRY(content_, Unpack(member, member.size));
    unpacked_ = index;
  }
  const uint64_t at = std::min<uint64_t>(range.offset - member.begin + member.head, content_.size());
  const uint64_t length = std::min<uint64_t>(range.length, content_.size() - at);
  return std::vector<uint8_t>(content_.begin() + static_cast<ptrdiff_t>(at),
                              content_.begin() + static_cast<ptrdiff_t>(at + length));
}

}  // namespace qkv
