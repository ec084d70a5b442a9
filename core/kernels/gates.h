// Gates of recurrent cells: the elementwise part after the products with the input and with the last state.
//
// With a = W_ih x + b_ih and b = W_hh h + b_hh, in the order and with the equations of PyTorch's nn.LSTM and nn.GRU:
//   LSTM  i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of a + b     (Hochreiter and Schmidhuber 1997; Gers et al. 2000)
//         c' = f c + i g,  h' = o tanh(c')
//   GRU   r, z = sigmoid of a + b,  n = tanh(a + r b)               (Cho et al. 2014, with the reset after the product)
//         h' = (1 - z) n + z h
#pragma once

#include <cstddef>

#include "core/base/threads.h"

namespace qkv {

enum class CellKind { kGru, kLstm };

// For each kind of cell: products of a unit, and numbers that its backward needs.
inline constexpr size_t GatesOf(CellKind kind) { return kind == CellKind::kLstm ? 4 : 3; }
inline constexpr size_t SavedOf(CellKind kind) { return kind == CellKind::kLstm ? 5 : 3; }

// Rows of n units, without gaps.
struct Gates {
  CellKind kind = CellKind::kLstm;
  size_t rows = 0, n = 0;
  const float* input = nullptr;      // a [rows, gates * n], gate after gate
  const float* recurrent = nullptr;  // b, the same shape
  const float* previous = nullptr;   // [rows, n]: h of a GRU, c of an LSTM
  float* saved = nullptr;            // [rows, saved * n]: r, z, n of a GRU; i, f, g, o, tanh(c') of an LSTM
  float* cell = nullptr;             // c' [rows, n], of an LSTM alone
  float* hidden = nullptr;           // h' [rows, n]
};

void ComputeGates(const Gates& gates, ThreadPool& pool);
void ComputeGatesNaive(const Gates& gates);

struct GateGradients {
  const float* hidden = nullptr;  // of h'
  const float* cell = nullptr;    // of c' from later steps; LSTM only
  float* input = nullptr;         // of a: written
  float* recurrent = nullptr;     // of b: written
  float* previous = nullptr;      // of h of a GRU, of c of an LSTM: added to, or null
};

// The backward of the forward that wrote `gates.saved`.
void GatesBackward(const Gates& gates, const GateGradients& gradients, ThreadPool& pool);

// Rows of one sequence in an SSRU (Kim et al. 2019, "From Research to Production and Back", equation 5), one after the
// other. With w = x W and a = x W_f + b_f:
//   f = sigmoid(a),  c = f c' + (1 - f) w,  y = ReLU(c)
// Rows of n units, without gaps.
struct SsruRows {
  size_t rows = 0, n = 0;
  const float* candidates = nullptr;  // w [rows, n]
  float* gates = nullptr;             // a [rows, n], replaced by f
  const float* before = nullptr;      // c' of the first row, [n]; null: zeros
  float* cells = nullptr;             // c [rows, n]
  float* outputs = nullptr;           // y [rows, n]
};

void RunSsru(const SsruRows& rows);
void RunSsruNaive(const SsruRows& rows);
// The backward of a run from zeros: the gradient of y to those of w and a, which are added to.
void SsruBackward(const SsruRows& rows, const float* outputs, float* candidates, float* gates);

}  // namespace qkv
