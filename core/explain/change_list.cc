#include "core/explain/change_list.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/exponential.h"
#include "core/kernels/softmax.h"

namespace qkv {
namespace {

constexpr float kMaskedLogit = -std::numeric_limits<float>::infinity();
constexpr size_t kNone = PlaceList::kNone;

// A logit after a change. Several temperatures in a row may exceed the largest float, so the result is clamped: logits
// that are not masked stay finite.
float Finite(float logit) {
  constexpr float kLargest = std::numeric_limits<float>::max();
  return std::clamp(logit, -kLargest, kLargest);  // NaN stays
}

template <class T>
bool Matches(const std::optional<T>& wanted, T value) {
  return !wanted || *wanted == value;
}

// Whether a change is for this row. A layer that is off computes no attention either.
bool IsFor(const Change& change, size_t sentence, const ChangedRow& row) {
  const bool decodes = row.place.kind != AttentionKind::kEncoderSelf;
  if (change.block == Block::kFeedForward || !Matches(change.sentence, sentence)) return false;
  if (!Matches(change.layer, row.place.layer) || !Matches(change.head, row.head)) return false;
  if (change.block && !Matches(change.decodes, decodes)) return false;
  return Matches(change.attention, row.place.kind) && change.queries.Find(row.query) != kNone;
}

// One row of a table, with a number for each key or none.
class TableRow {
 public:
  TableRow(const Change& change, size_t query)
      : change_(change), row_(change.table.is_row || change.table.columns == 0 ? 0 : change.queries.Find(query)) {}

  // Null where the table has no number for the key.
  const float* At(size_t key) const {
    const ChangeTable& table = change_.table;
    const size_t column = change_.keys.Find(key);
    if (column == kNone) return nullptr;
    if (table.columns == 0) return table.values.data();
    const size_t rows = table.values.size() / table.columns;
    return row_ < rows && column < table.columns ? &table.values[row_ * table.columns + column] : nullptr;
  }
  // Whether the table has this row.
  bool exists() const {
    return change_.table.columns == 0 || row_ < change_.table.values.size() / change_.table.columns;
  }

 private:
  const Change& change_;
  size_t row_;
};

// The natural logarithm of x > 0, the same bits on every target: x = 2^e m, and log m = 2 atanh((m - 1) / (m + 1)).
double Logarithm(double x) {
  int exponent = 0;
  const double m = std::frexp(x, &exponent), s = (m - 1) / (m + 1);
  double sum = 0, power = s;
  for (int n = 1; n < 40; n += 2, power *= s * s) sum += power / n;
  return exponent * 0.69314718055994530942 + 2 * sum;
}

// The weights of `set` for the keys that the query may see. They sum to 1 again if some of them were for other keys.
void SetWeights(const TableRow& table, const ChangedRow& row) {
  double sum = 0;
  bool has_all = true;
  for (size_t j = 0; j < row.logits.size(); ++j) {
    float& logit = row.logits[j];
    const float* weight = table.At(row.first_key + j);
    const float given = weight == nullptr ? 0 : *weight;
    has_all = has_all && (given == 0 || logit != kMaskedLogit);
    logit = logit == kMaskedLogit ? 0 : given;
    sum += static_cast<double>(logit);
  }
  constexpr double kRounding = 1e-3;  // what ParseChanges allows
  if (sum <= 0 || (has_all && sum > 1 - kRounding)) return;
  for (float& weight : row.logits) weight = static_cast<float>(static_cast<double>(weight) / sum);
}

void ToLogits(std::span<float> weights) {
  for (float& weight : weights) {
    weight = weight > 0 ? static_cast<float>(Logarithm(static_cast<double>(weight))) : kMaskedLogit;
  }
}

// Every kind except `set` and `off`, on logits.
void ChangeLogits(const Change& change, const ChangedRow& row) {
  const TableRow table(change, row.query);
  for (size_t j = 0; j < row.logits.size(); ++j) {
    float& logit = row.logits[j];
    const size_t key = row.first_key + j;
    const bool is_named = change.keys.Find(key) != kNone;
    if (logit == kMaskedLogit) continue;
    if (change.kind == ChangeKind::kUniform) logit = is_named ? 0 : kMaskedLogit;
    if (change.kind == ChangeKind::kHide && is_named) logit = kMaskedLogit;
    if (change.kind == ChangeKind::kTemperature) logit = Finite(logit / change.table.values[0]);
    const float* value = change.kind == ChangeKind::kAdd ? table.At(key) : nullptr;
    if (value != nullptr) logit = Finite(logit + *value);
  }
}

}  // namespace

PlaceList::PlaceList(const std::vector<size_t>& places) {
  sorted_.reserve(places.size());
  for (const size_t place : places) sorted_.emplace_back(place, sorted_.size());
  std::sort(sorted_.begin(), sorted_.end());
}

size_t PlaceList::Find(size_t place) const {
  if (sorted_.empty()) return place;
  const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(place, size_t{0}));
  return found != sorted_.end() && found->first == place ? found->second : kNone;
}

ChangeablePlaces ChangeablePlaces::Of(const SequenceConfig& config) {
  ChangeablePlaces places = {config.encoder_self, config.decoder_self, config.cross};
  if (config.gates != 0) places.decoder = {};  // a recurrence, which has gates and no weights
  if (config.feed_forward) {
    places.encoder_blocks = config.encoder_layers;
    places.decoder_blocks = config.decoder_layers;
  }
  return places;
}

bool ChangeList::ChangedSoftmax(size_t sentence, const ChangedRow& row) const {
  // Changes apply in the order of the list. Those of logits and those of weights may alternate.
  bool are_weights = false, is_given = false;
  for (const Change& change : changes_) {
    if (change.kind == ChangeKind::kOff || !IsFor(change, sentence, row)) continue;
    if (change.kind == ChangeKind::kSet) {
      const TableRow table(change, row.query);
      if (!table.exists()) continue;
      if (are_weights) ToLogits(row.logits);
      SetWeights(table, row);
      are_weights = is_given = true;
      continue;
    }
    if (are_weights) ToLogits(row.logits);
    are_weights = false;
    is_given = is_given || change.kind == ChangeKind::kUniform;
    ChangeLogits(change, row);
  }
  if (!are_weights) Softmax({row.logits.data(), 1, static_cast<Eigen::Index>(row.logits.size())});
  // Keys that are off lose their weight at the end, and the others keep theirs.
  for (const Change& change : changes_) {
    if (change.kind != ChangeKind::kOff || !IsFor(change, sentence, row)) continue;
    for (size_t j = 0; j < row.logits.size(); ++j) {
      if (change.keys.Find(row.first_key + j) != kNone) row.logits[j] = 0;
    }
  }
  return is_given;
}

bool ChangeList::IsOff(size_t sentence, Block block, bool decodes, size_t layer) const {
  return std::any_of(changes_.begin(), changes_.end(), [&](const Change& change) {
    return change.block == block && Matches(change.sentence, sentence) && Matches(change.decodes, decodes) &&
           Matches(change.layer, layer);
  });
}

}  // namespace qkv
