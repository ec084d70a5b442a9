#include "core/layers/listed_logits.h"

#include <vector>

#include "core/kernels/matmul.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

using Pieces = std::vector<int32_t>;

Pieces Every(size_t step, size_t vocabulary) {
  Pieces pieces;
  for (size_t piece = 0; piece < vocabulary; piece += step) pieces.push_back(static_cast<int32_t>(piece));
  return pieces;
}

// The logits of a list are the bits of a product by the whole table, on every target, alone and in a batch.
void ExpectSameBits(size_t rows, size_t d, size_t vocabulary, const Pieces& pieces, bool has_bias) {
  const Guarded x = RandomMatrix(rows, d, 1), w = RandomMatrix(vocabulary, d, 2), b = RandomMatrix(1, vocabulary, 3);
  const PackedMatrix table = Pack(w.read());
  const float* const bias = has_bias ? b.read().data() : nullptr;
  ForEachTarget([&] {
    ThreadPool pool(1);
    Arena arena;
    Context ctx{arena, pool};
    Guarded all(rows, vocabulary), some(rows, pieces.size());
    MatMul(x.read(), table, bias, Activation::kNone, all.view(), pool);
    ListedLogits(ctx, x.read(), table, pieces, bias, some.view());
    ASSERT_TRUE(some.Intact());
    for (size_t r = 0; r < rows; ++r) {
      for (size_t i = 0; i < pieces.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(r), column = static_cast<Eigen::Index>(i);
        ASSERT_EQ(some.read()(row, column), all.read()(row, pieces[i])) << "row " << r << ", piece " << pieces[i];
      }
    }
  });
}

TEST(ListedLogits, HaveTheBitsOfTheWholeProduct) {
  constexpr size_t kVocabulary = 333;  // its last panel is not full
  const Pieces lists[] = {{0},
                          {332},
                          {15, 16},
                          {5, 6, 31, 32, 33, 64, 79, 80, 81, 160, 320, 331, 332},
                          {300, 2, 2, 17, 16, 15, 332, 0},
                          Every(1, kVocabulary),
                          Every(2, kVocabulary),
                          Every(16, kVocabulary),
                          Every(32, kVocabulary)};
  for (const Pieces& pieces : lists) {
    for (const size_t rows : {1, 2, 7, 8, 9, 20}) ExpectSameBits(rows, 130, kVocabulary, pieces, rows != 2);
  }
}

}  // namespace
}  // namespace qkv
