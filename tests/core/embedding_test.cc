#include "core/layers/embedding.h"

#include "core/kernels/softmax.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

// A table of random weights [outputs, inputs], of floats or of int8 in one of its layouts.
Weight RandomTable(Numbers numbers, Int8Layout layout, size_t outputs, size_t inputs) {
  const Guarded floats = RandomMatrix(outputs, inputs, 1);
  if (numbers == Numbers::kFloat) return Weight(Pack(floats.read()));
  Weight table(layout);
  table.Reserve(numbers, outputs, inputs);
  std::vector<int8_t> row(inputs);
  for (size_t o = 0; o < outputs; ++o) {
    const float scale = QuantizeWeights(floats.read().data() + o * inputs, inputs, row.data());
    table.int8().SetScale(o, scale);
    table.int8().SetRow(o, row.data());
  }
  return table;
}

// 5,000 pieces: one part for one row, three for 100 rows, five for 300. The last part is not full.
TEST(EachPartOfLogits, GivesTheBitsOfAllLogits) {
  constexpr size_t kPieces = 5000, kInputs = 64;
  const std::pair<Numbers, Int8Layout> tables[] = {{Numbers::kFloat, Int8Layout::kPanels},
                                                   {Numbers::kInt8, Int8Layout::kPanels},
                                                   {Numbers::kInt8, Int8Layout::kRows}};
  const Guarded values = RandomMatrix(1, kPieces, 2);
  Vector bias(static_cast<Eigen::Index>(kPieces));
  for (size_t i = 0; i < kPieces; ++i) bias[static_cast<Eigen::Index>(i)] = values.read().data()[i];
  for (const auto& [numbers, layout] : tables) {
    const Weight table = RandomTable(numbers, layout, kPieces, kInputs);
    for (const auto& [rows, parts] : {std::pair<size_t, size_t>{1, 1}, {100, 3}, {300, 5}}) {
      const Guarded x = RandomMatrix(rows, kInputs, 3);
      Arena arena;
      ThreadPool pool(2);
      Context ctx{arena, pool};
      const MatrixView all = PieceLogits(ctx, table, bias, Operand(x.read()), {});
      size_t next = 0, count = 0;
      EachPartOfLogits(ctx, table, bias, Operand(x.read()), [&](size_t first, MatrixView logits) {
        EXPECT_EQ(first, next);
        next += static_cast<size_t>(logits.cols());
        ++count;
        EXPECT_TRUE(next == kPieces || logits.cols() % static_cast<Eigen::Index>(kNormaliserPart) == 0);
        EXPECT_TRUE((logits.array() == all.middleCols(static_cast<Eigen::Index>(first), logits.cols()).array()).all());
      });
      EXPECT_EQ(next, kPieces);
      EXPECT_EQ(count, parts);
    }
  }
}

}  // namespace
}  // namespace qkv
