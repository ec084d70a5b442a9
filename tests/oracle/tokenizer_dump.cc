// For tests/oracle/tokenizer_parity.mjs: reads a tokenizer.json, or vocab.json and merges.txt, and lines as JSON
// strings on standard input. Prints for each its ids, the decoded text and the spans in bytes as one line of JSON.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "core/base/json.h"
#include "core/text/tokenizer.h"

namespace {

std::string Read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

int main(int argc, char** argv) {
  auto tokenizer = argc == 3 ? qkv::Tokenizer::ParseByteLevel(Read(argv[1]), Read(argv[2]), "", false)
                             : qkv::Tokenizer::Parse(Read(argv[1]));
  if (!tokenizer) return std::fprintf(stderr, "%s\n", tokenizer.error().ToString().c_str()), 1;
  for (std::string line; std::getline(std::cin, line);) {
    rapidjson::Document json;
    json.Parse(line.data(), line.size());
    const std::string text(json.GetString(), json.GetStringLength());
    std::vector<int32_t> ids;
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> out(buffer);
    out.StartArray();
    out.StartArray();
    const std::vector<qkv::Piece> pieces = tokenizer->Pieces(text);
    for (const qkv::Piece& piece : pieces) {
      ids.push_back(piece.id);
      out.Int(piece.id);
    }
    out.EndArray();
    const std::string decoded = tokenizer->Decode(ids);
    out.String(decoded.data(), static_cast<rapidjson::SizeType>(decoded.size()));
    out.StartArray();
    for (const qkv::Piece& piece : pieces) {
      out.Uint64(piece.begin);
      out.Uint64(piece.end);
    }
    out.EndArray();
    out.EndArray();
    std::puts(buffer.GetString());
  }
}
