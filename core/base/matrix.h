// Matrices: storage and views by Eigen, row-major. A sequence is one row for each position. Layers and models do not
// use Eigen's products: Eigen does not choose code by processor at run time, core/kernels does.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <new>

namespace qkv {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXf;

// Views do not own memory. Rows are contiguous, without padding: row i starts at data() + i * cols().
using MatrixView = Eigen::Map<Matrix>;
using ConstMatrixView = Eigen::Map<const Matrix>;

inline ConstMatrixView View(const Matrix& m) { return {m.data(), m.rows(), m.cols()}; }
inline ConstMatrixView View(const MatrixView& m) { return {m.data(), m.rows(), m.cols()}; }

// Assignment to an Eigen view writes to its memory. This function makes `view` refer to the memory of `to` instead.
inline void Rebind(MatrixView& view, const MatrixView& to) { new (&view) MatrixView(to); }
inline void Rebind(ConstMatrixView& view, const ConstMatrixView& to) { new (&view) ConstMatrixView(to); }

}  // namespace qkv
