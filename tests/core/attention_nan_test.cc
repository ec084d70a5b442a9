// NaN stays where it belongs. A query's NaN reaches its own row, a key's or a value's NaN reaches the rows that see
// them, and no other bit changes. Tested for every score, selection, window and mask.
#include <cmath>

#include "tests/core/attention_random.h"

namespace qkv {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// There are more queries than are computed at a time, and no size is a multiple of a vector.
constexpr ProblemSizes kSizes = {
    .heads = 4, .key_heads = 2, .queries = 29, .keys = 37, .query_dim = 6, .key_dim = 6, .value_dim = 3};
constexpr size_t kBadHead = 1, kBadQuery = 13, kBadKey = 17, kBadColumn = 1;  // kBadHead: of queries or keys

// One way of seeing some keys and not others.
struct Sight {
  const char* name;
  Mask mask;
  Window window;
};

class AttentionNaN : public testing::TestWithParam<SelectionKind> {
 protected:
  AttentionNaN() {
    for (size_t i = 0; i < allowed_.size(); ++i) {
      const float value = GeneratedValue(99, static_cast<uint32_t>(i));
      allowed_[i] = value < 0.3f ? 1 : 0;
      bias_[i] = value < 0.3f ? value : kMasked;
    }
    for (size_t i = 0; i < kSizes.queries; ++i) centres_[i] = static_cast<float>(i) + 0.25f;
  }

  std::vector<Sight> Sights() const {
    std::vector<Sight> sights(8);
    sights[0].name = "everything";
    sights[1].name = "causal";
    sights[1].mask.causal = true;
    sights[2].name = "padding";
    sights[2].mask.padding_from = kBadKey;
    sights[3].name = "boolean";
    sights[3].mask.allowed = allowed_.data();
    sights[4].name = "additive, by head";
    sights[4].mask.bias = bias_.data();
    sights[4].mask.bias_head_stride = kSizes.queries * kSizes.keys;
    sights[5].name = "local-m";
    sights[5].window.kind = WindowKind::kLocalM;
    sights[5].window.half_width = 3;
    sights[6].name = "local-p, centres given";
    sights[6].window.kind = WindowKind::kLocalP;
    sights[6].window.half_width = 4;
    sights[6].window.centres = Dense(centres_.data(), 1, kSizes.queries, 1);
    sights[7].name = "nothing";
    sights[7].mask.padding_from = 0;
    return sights;
  }

  // Calls run(problem, call, clean outcome) for every score and sight, on every target.
  void ForEach(const std::function<void(AttentionProblem&, const Attention&, const AttentionOutcome&)>& run) const {
    for (const Score* score : Scores()) {
      for (const Sight& sight : Sights()) {
        SCOPED_TRACE(std::string(score->name) + ", " + sight.name);
        ForEachTarget([&] {
          const auto p = RandomProblem(*score, kSizes);
          Attention call = CallOf(*p, GetParam());
          call.mask = sight.mask;
          call.window = sight.window;
          run(*p, call, Attended(call, p->Inputs()));
        });
      }
    }
  }

  bool Hard() const { return GetParam() == SelectionKind::kArgmax || GetParam() == SelectionKind::kSampled; }

  std::vector<uint8_t> allowed_ = std::vector<uint8_t>(kSizes.queries * kSizes.keys);
  std::vector<float> bias_ = std::vector<float>(kSizes.heads * kSizes.queries * kSizes.keys);
  std::vector<float> centres_ = std::vector<float>(kSizes.queries);
};

std::string SelectionName(const testing::TestParamInfo<SelectionKind>& info) {
  constexpr const char* kNames[] = {"soft", "argmax", "sampled", "gate", "maxpool", "sparsemax", "entmax"};
  return kNames[static_cast<size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Selections, AttentionNaN, testing::ValuesIn(kSelections), SelectionName);

Eigen::Index Row(size_t head, size_t query) { return static_cast<Eigen::Index>(head * kSizes.queries + query); }

bool Sees(const AttentionOutcome& clean, size_t head, size_t query, size_t key) {
  return clean.logits.read()(Row(head, query), static_cast<Eigen::Index>(key)) != kMasked;
}

void ExpectSameRow(const AttentionOutcome& a, const AttentionOutcome& b, size_t head, size_t query) {
  const Eigen::Index row = Row(head, query);
  EXPECT_TRUE(SameBits(ReadRows(a.output, row, 1), ReadRows(b.output, row, 1))) << head << ", " << query;
  EXPECT_TRUE(SameBits(ReadRows(a.weights, row, 1), ReadRows(b.weights, row, 1))) << head << ", " << query;
  EXPECT_EQ(a.chosen[static_cast<size_t>(row)], b.chosen[static_cast<size_t>(row)]);
}

// Every output is NaN, and so is the weight of each visible key of `only`, or of all. Hidden keys have no weight.
void ExpectNaNRow(const AttentionOutcome& clean, const AttentionOutcome& dirty, size_t head, size_t query,
                  size_t only = kSizes.keys) {
  const Eigen::Index row = Row(head, query);
  EXPECT_TRUE(dirty.output.read().row(row).array().isNaN().all()) << head << ", " << query;
  for (size_t j = 0; j < kSizes.keys; ++j) {
    const float weight = dirty.weights.read()(row, static_cast<Eigen::Index>(j));
    if (!Sees(clean, head, query, j)) {
      EXPECT_EQ(weight, 0) << head << ", " << query << ", " << j;
    } else if (only == kSizes.keys || j == only) {
      EXPECT_TRUE(std::isnan(weight)) << head << ", " << query << ", " << j;
    }
  }
}

// Whether the score depends on keys.
bool Looks(const AttentionProblem& p) { return p.score->name != "location"; }

TEST_P(AttentionNaN, OfAQueryStaysInItsRow) {
  ForEach([&](AttentionProblem& p, const Attention& call, const AttentionOutcome& clean) {
    p.query[(kBadHead * kSizes.queries + kBadQuery) * kSizes.query_dim + 2] = kNaN;
    const AttentionOutcome dirty = Attended(call, p.Inputs());
    for (size_t h = 0; h < kSizes.heads; ++h) {
      for (size_t i = 0; i < kSizes.queries; ++i) {
        const bool bad = h == kBadHead && i == kBadQuery && clean.empty[static_cast<size_t>(Row(h, i))] == 0;
        if (bad && GetParam() != SelectionKind::kMaxPool) {
          ExpectNaNRow(clean, dirty, h, i);
        } else {
          ExpectSameRow(clean, dirty, h, i);
        }
      }
    }
  });
}

TEST_P(AttentionNaN, OfAKeyReachesTheRowsThatSeeIt) {
  size_t seen = 0, unseen = 0;
  for (const float bad : {kNaN, kInfinity}) {
    ForEach([&](AttentionProblem& p, const Attention& call, const AttentionOutcome& clean) {
      float* key = &p.key[(kBadHead * kSizes.keys + kBadKey) * kSizes.key_dim];
      std::fill_n(key, kSizes.key_dim, bad);
      const AttentionOutcome dirty = Attended(call, p.Inputs());
      for (size_t h = 0; h < kSizes.heads; ++h) {
        for (size_t i = 0; i < kSizes.queries; ++i) {
          const bool sees = p.OfKeys(h) == kBadHead && Sees(clean, h, i, kBadKey);
          if (!sees || !Looks(p) || (GetParam() == SelectionKind::kMaxPool && std::isnan(bad))) {
            ++unseen;
            ExpectSameRow(clean, dirty, h, i);
          } else if (std::isnan(bad)) {
            ++seen;
            ExpectNaNRow(clean, dirty, h, i, GetParam() == SelectionKind::kGate ? kBadKey : kSizes.keys);
          }
        }
      }
    });
  }
  EXPECT_GT(unseen, 0u);
  if (GetParam() != SelectionKind::kMaxPool) EXPECT_GT(seen, 0u);
}

TEST_P(AttentionNaN, OfAValueReachesItsColumnInTheRowsThatSeeIt) {
  size_t seen = 0, unseen = 0;
  for (const float bad : {kNaN, kInfinity, -kInfinity}) {
    ForEach([&](AttentionProblem& p, const Attention& call, const AttentionOutcome& clean) {
      p.value[(kBadHead * kSizes.keys + kBadKey) * kSizes.value_dim + kBadColumn] = bad;
      const AttentionOutcome dirty = Attended(call, p.Inputs());
      for (size_t h = 0; h < kSizes.heads; ++h) {
        for (size_t i = 0; i < kSizes.queries; ++i) {
          const Eigen::Index row = Row(h, i);
          bool reached = p.OfKeys(h) == kBadHead && Sees(clean, h, i, kBadKey);
          if (Hard()) reached = reached && clean.chosen[static_cast<size_t>(row)] == static_cast<int32_t>(kBadKey);
          if (call.selection.sparse()) {
            reached = reached && clean.weights.read()(row, static_cast<Eigen::Index>(kBadKey)) > 0;
          }
          // The lowest value is never the largest of a column, unless it is alone.
          if (GetParam() == SelectionKind::kMaxPool && bad == -kInfinity) continue;
          if (!reached) {
            ++unseen;
            ExpectSameRow(clean, dirty, h, i);
            continue;
          }
          ++seen;
          for (size_t c = 0; c < kSizes.value_dim; ++c) {
            const float value = dirty.output.read()(row, static_cast<Eigen::Index>(c));
            if (c == kBadColumn) {
              EXPECT_TRUE(std::isnan(bad) ? std::isnan(value) : value == bad) << value;
            } else {
              EXPECT_EQ(value, clean.output.read()(row, static_cast<Eigen::Index>(c)));
            }
          }
        }
      }
    });
  }
  EXPECT_GT(unseen, 0u);
  EXPECT_GT(seen, 0u);
}

// A key that no query sees may have any key and any value.
TEST_P(AttentionNaN, OfPaddingReachesNothing) {
  for (const Score* score : Scores()) {
    const auto p = RandomProblem(*score, kSizes);
    Attention call = CallOf(*p, GetParam());
    call.mask.padding_from = 20;
    ForEachTarget([&] {
      const auto dirty = RandomProblem(*score, kSizes);
      for (size_t g = 0; g < kSizes.key_heads; ++g) {
        std::fill_n(&dirty->key[(g * kSizes.keys + 20) * kSizes.key_dim], 17 * kSizes.key_dim, kNaN);
        std::fill_n(&dirty->value[(g * kSizes.keys + 20) * kSizes.value_dim], 17 * kSizes.value_dim, kInfinity);
      }
      EXPECT_TRUE(SameBits(Attended(call, p->Inputs()).output.read(), Attended(call, dirty->Inputs()).output.read()));
    });
  }
}

// A window predicted from a NaN query has no place: the row is NaN where it sees anything.
TEST(AttentionInfinity, APredictedPlaceThatIsNaN) {
  const auto p = RandomProblem(*FindScore("scaled-dot"), kSizes);
  const std::vector<float> w_p(4 * kSizes.query_dim, 0.5f), v_p(4, 0.25f);
  Attention call = CallOf(*p);
  call.window.kind = WindowKind::kLocalP;
  call.window.half_width = 3;
  call.window.W_p = Dense(w_p.data(), 1, 4, kSizes.query_dim);
  call.window.v_p = Dense(v_p.data(), 1, 1, 4);
  const AttentionOutcome clean = Attended(call, p->Inputs());
  p->query[(kBadHead * kSizes.queries + kBadQuery) * kSizes.query_dim] = kNaN;
  const AttentionOutcome dirty = Attended(call, p->Inputs());
  for (size_t h = 0; h < kSizes.heads; ++h) {
    for (size_t i = 0; i < kSizes.queries; ++i) {
      if (h == kBadHead && i == kBadQuery) {
        EXPECT_TRUE(dirty.output.read().row(Row(h, i)).array().isNaN().all());
      } else {
        ExpectSameRow(clean, dirty, h, i);
      }
    }
  }
}

// Infinities in masks.

TEST(AttentionInfinity, MinusInfinityEverywhereGivesZerosAndSaysSo) {
  for (const SelectionKind selection : kSelections) {
    for (const Score* score : Scores()) {
      const auto p = RandomProblem(*score, kSizes);
      std::vector<float> bias(kSizes.queries * kSizes.keys, 0.0f);
      std::fill_n(bias.begin() + kBadQuery * kSizes.keys, kSizes.keys, kMasked);
      Attention call = CallOf(*p, selection);
      call.mask.bias = bias.data();
      ForEachTarget([&] {
        const AttentionOutcome out = Attended(call, p->Inputs());
        for (size_t h = 0; h < kSizes.heads; ++h) {
          for (size_t i = 0; i < kSizes.queries; ++i) {
            const Eigen::Index row = Row(h, i);
            const bool empty = i == kBadQuery;
            EXPECT_EQ(out.empty[static_cast<size_t>(row)], empty ? 1 : 0);
            if (!empty) continue;
            EXPECT_TRUE((out.output.read().row(row).array() == 0).all());
            EXPECT_TRUE((out.weights.read().row(row).array() == 0).all());
            EXPECT_TRUE((out.logits.read().row(row).array() == kMasked).all());
            EXPECT_EQ(out.chosen[static_cast<size_t>(row)], kNoKey);
          }
        }
      });
    }
  }
}

// Softmax of +inf is undefined. Only its own row becomes NaN; argmax takes the key.
TEST(AttentionInfinity, PlusInfinityStaysInItsRow) {
  const auto p = RandomProblem(*FindScore("dot"), kSizes);
  std::vector<float> bias(kSizes.queries * kSizes.keys, 0.0f);
  for (const SelectionKind selection : {SelectionKind::kSoft, SelectionKind::kArgmax, SelectionKind::kGate}) {
    Attention call = CallOf(*p, selection);
    ForEachTarget([&] {
      bias[kBadQuery * kSizes.keys + kBadKey] = 0;
      call.mask.bias = bias.data();
      const AttentionOutcome clean = Attended(call, p->Inputs());
      bias[kBadQuery * kSizes.keys + kBadKey] = kInfinity;
      const AttentionOutcome out = Attended(call, p->Inputs());
      for (size_t h = 0; h < kSizes.heads; ++h) {
        for (size_t i = 0; i < kSizes.queries; ++i) {
          const auto row = out.weights.read().row(Row(h, i));
          if (i != kBadQuery) {
            ExpectSameRow(clean, out, h, i);
          } else if (selection == SelectionKind::kSoft) {
            EXPECT_TRUE(row.array().isNaN().all());
          } else {
            EXPECT_EQ(row[kBadKey], 1);
          }
        }
      }
    });
  }
}

// Some masks use the lowest float instead of -inf. Such a key has no weight beside others. If all visible keys are such
// keys, their weights are equal.
TEST(AttentionInfinity, TheLowestFloatIsABiasLikeAnother) {
  const auto p = RandomProblem(*FindScore("scaled-dot"), kSizes);
  std::vector<float> bias(kSizes.queries * kSizes.keys, std::numeric_limits<float>::lowest());
  std::fill_n(bias.begin(), kSizes.keys - 1, 0.0f);  // query 0: its last key alone
  Attention call = CallOf(*p);
  call.mask.bias = bias.data();
  ForEachTarget([&] {
    const AttentionOutcome out = Attended(call, p->Inputs());
    EXPECT_TRUE(out.output.read().array().isFinite().all());
    EXPECT_EQ(out.weights.read()(0, kSizes.keys - 1), 0);
    for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(kSizes.keys); ++j) {
      EXPECT_NEAR(out.weights.read()(1, j), 1.0 / kSizes.keys, 1e-7);
    }
  });
}

}  // namespace
}  // namespace qkv
