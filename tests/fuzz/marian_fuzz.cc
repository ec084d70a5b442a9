// Any bytes as a binary Marian model, and as its options: an error or a model, never a crash, and no memory for data
// that is missing.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/io/marian_file.h"
#include "core/io/marian_model.h"
#include "core/io/marian_options.h"
#include "core/io/weight_loader.h"
#include "core/models/transformer.h"

namespace {

using namespace qkv;

std::span<const uint8_t> Part(const uint8_t* data, size_t size, ByteRange range) {
  const size_t begin = std::min<uint64_t>(range.offset, size);
  return {data + begin, std::min<uint64_t>(range.length, size - begin)};
}

void ReadModel(const uint8_t* data, size_t size) {
  auto directory = std::make_unique<MarianDirectory>("model.bin", size % 2 == 0 ? size : 0);
  for (ByteRange range = directory->Next(); range.length != 0; range = directory->Next()) {
    if (!directory->Feed(Part(data, size, range))) return;
  }
  const auto config = ReadMarianShape(directory->entries(), "model.bin");
  if (!config) return;
  Transformer model(config.value());
  WeightSlots slots = MarianSlots(model.Slots(), directory->entries(), config.value());
  const auto loader = WeightLoader::Create(std::move(slots), "model.bin", std::move(directory), 1 << 24);
  if (!loader) return;
  for (ByteRange range = loader.value()->Next(); range.length != 0; range = loader.value()->Next()) {
    if (!loader.value()->Feed(Part(data, size, range))) return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ReadModel(data, size);
  const auto options = MarianOptions::Parse({reinterpret_cast<const char*>(data), size}, "model.bin");
  if (!options) return 0;
  TransformerConfig config;
  config.d_model = 16;
  config.encoder_layers = config.decoder_layers = 2;
  config.past = size % 2 == 0 ? Past::kSsru : Past::kSelfAttention;
  const auto choices = ReadMarianOptions(options.value(), config);
  if (choices && (config.d_model % choices.value().heads != 0 || choices.value().alignment_layer >= 2))
    __builtin_trap();
  return 0;
}
