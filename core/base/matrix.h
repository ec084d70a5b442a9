// Matrices: storage and views on Eigen. Row-major; a sequence is rows of positions. No product of Eigen's is used
// anywhere in layers or models: Eigen does not dispatch by processor, core/kernels does.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <new>

namespace qkv {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

// Views do not own; rows are contiguous and follow one another without padding: row i starts at data() + i * cols().
using MatrixView = Eigen::Map<Matrix>;
using ConstMatrixView = Eigen::Map<const Matrix>;

inline ConstMatrixView View(const Matrix& m) { return {m.data(), m.rows(), m.cols()}; }
inline ConstMatrixView View(const MatrixView& m) { return {m.data(), m.rows(), m.cols()}; }

// Assigning to an Eigen view writes what it looks at. This makes `view` look at what `to` looks at.
inline void Reseat(MatrixView& view, const MatrixView& to) { new (&view) MatrixView(to); }
inline void Reseat(ConstMatrixView& view, const ConstMatrixView& to) { new (&view) ConstMatrixView(to); }

}  // namespace qkv
