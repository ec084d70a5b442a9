// The computation of a cell: the numbers that the current equation combines.

import { apply, dot, largest, max, number, product, quotient, sum, words, zero } from './expression.js';
import { keysOf, sizesOf, valuesOf } from './state.js';
import { texts } from './texts.js';

/** @typedef {import('./expression.js').Expression} Expression */
/** @typedef {import('./expression.js').Role} Role */
/** @typedef {import('./state.js').State} State */
/** @typedef {import('./compute.js').Result} Result */
/** @typedef {import('./compute.js').Tensor} Tensor */

/** The expressions of the cells of one head. */
export class CellExpressions {
  /** @param {State} state complete @param {Result} result @param {number} head */
  constructor(state, result, head) {
    this.state = state;
    this.result = result;
    this.head = head;
    this.sizes = sizesOf(state);
  }

  /** The columns of this head in row i of a matrix. @param {number[][]} matrix @param {number} i */
  #row(matrix, i) {
    const width = matrix[0].length / this.state.heads;
    return matrix[i].slice(this.head * width, (this.head + 1) * width);
  }

  /** @param {number} i */
  #query(i) {
    return this.#row(this.state.query, i);
  }

  /** @param {number} j */
  #key(j) {
    return this.#row(keysOf(this.state), j);
  }

  /** @param {Tensor | null} tensor [H, Q, K] @param {number} i @param {number} j */
  #at(tensor, i, j) {
    const { queries, keys } = this.sizes;
    return tensor ? tensor.data[(this.head * queries + i) * keys + j] : NaN;
  }

  /** @param {Tensor} tensor @param {number} i */
  #line(tensor, i) {
    return Array.from({ length: this.sizes.keys }, (_, j) => this.#at(tensor, i, j));
  }

  /** @param {number} i @param {number} j */
  product(i, j) {
    return dot(this.#query(i), 'query', this.#key(j), 'key');
  }

  /** @param {number} i @param {number} j @returns {Expression} */
  score(i, j) {
    return this.result.products ? this.#scoreOfProduct(i, j) : this.#scoreOfVectors(i, j);
  }

  /** A score that begins with the product of the query and the key. @param {number} i @param {number} j @returns {Expression} */
  #scoreOfProduct(i, j) {
    const { score, parameters } = this.state;
    const [q, k] = [this.#query(i), this.#key(j)];
    const made = number(this.#at(this.result.products, i, j), 'score');
    const root = apply('sqrt', number(q.length));
    const slope = parameters.slope?.[0][0] ?? 2 ** ((-8 * (this.head + 1)) / this.state.heads);
    switch (score) {
      case 'dot':
        return this.product(i, j);
      case 'scaled-dot':
        return quotient(made, root);
      case 'alibi':
        return sum([
          quotient(made, root),
          apply('minus', product(number(slope), apply('abs', sum([number(i), apply('minus', number(j))])))),
        ]);
      case 'cosine': {
        const length = (/** @type {number[]} */ x, /** @type {Role} */ role) =>
          apply('sqrt', sum(x.map((part) => apply('square', number(part, role)))));
        const temperature = parameters.temperature ? [number(parameters.temperature[0][0])] : [];
        return quotient(made, product(length(q, 'query'), length(k, 'key'), ...temperature));
      }
      case 't5':
        return sum([made, number(this.#at(this.result.scores, i, j) - this.#at(this.result.products, i, j))]);
      default:
        return words(score);
    }
  }

  /** A score that is computed from the vectors themselves. @param {number} i @param {number} j @returns {Expression} */
  #scoreOfVectors(i, j) {
    const { score, parameters } = this.state;
    const [q, k] = [this.#query(i), this.#key(j)];
    const [qs, ks] = [q.map((x) => number(x, 'query')), k.map((x) => number(x, 'key'))];
    const times = (/** @type {number[]} */ row, /** @type {number[]} */ x, /** @type {Role} */ role) =>
      dot(row, '', x, role);
    switch (score) {
      case 'shaw': {
        const reach = (parameters.A_k.length - 1) / 2;
        const row = parameters.A_k[Math.max(-reach, Math.min(reach, j - i)) + reach];
        const moved = qs.map((x, c) => product(x, sum([ks[c], number(row[c])])));
        return quotient(sum(moved), apply('sqrt', number(q.length)));
      }
      case 'linear': {
        const feature = (/** @type {Expression} */ x, /** @type {number} */ value) =>
          value > 0 ? sum([x, number(1)]) : apply('exp', x);
        return apply('log', sum(qs.map((x, c) => product(feature(x, q[c]), feature(ks[c], k[c])))));
      }
      case 'gaussian': {
        const w = number(parameters.w?.[0][0] ?? 1);
        const squares = qs.map((x, c) => apply('square', product(w, sum([x, apply('minus', ks[c])]))));
        return apply('minus', quotient(sum(squares), number(2)));
      }
      case 'general':
        return sum(qs.map((x, a) => product(x, times(parameters.W[a], k, 'key'))));
      case 'low-rank':
        return sum(parameters.U.map((row, r) => product(times(row, k, 'key'), times(parameters.V[r], q, 'query'))));
      case 'location':
        return times(parameters.W[j], q, 'query');
      case 'additive':
        return this.#tanhs(parameters.w_v[0], (r) => [
          times(parameters.W_q[r], q, 'query'),
          times(parameters.W_k[r], k, 'key'),
        ]);
      case 'concat':
        return this.#tanhs(parameters.v[0], (r) => [
          times(parameters.W[r].slice(0, q.length), q, 'query'),
          times(parameters.W[r].slice(q.length), k, 'key'),
        ]);
      default:
        return words(score);
    }
  }

  /** The sum of tanh of each hidden unit, times its weight. @param {number[]} weights @param {(row: number) => Expression[]} inside */
  #tanhs(weights, inside) {
    return sum(weights.map((w, r) => product(number(w), apply('tanh', sum(inside(r))))));
  }

  /** Why a query does not see a key. @param {number} i @param {number} j */
  #why(i, j) {
    const { causal, padding, allowed, bias, window } = this.state;
    if (padding > 0 && j >= this.sizes.keys - padding) return texts.why.padding;
    if (causal && j > i && !this.state.joined) return texts.why.causal;
    if (allowed && !allowed[i][j]) return texts.why.mask;
    if (bias && bias[i][j] === -Infinity) return texts.why.bias;
    if (window !== 'global') return texts.why.window;
    return texts.why.taken;
  }

  /** @param {number} i @param {number} j @returns {Expression} */
  logit(i, j) {
    if (this.#at(this.result.logits, i, j) === -Infinity) return words(texts.why.notSeen(this.#why(i, j)));
    const score = number(this.#at(this.result.scores, i, j), 'score');
    const { bias, temperature } = this.state;
    const biased = bias ? sum([score, number(bias[i][j])]) : score;
    return temperature === 1 ? biased : quotient(biased, number(temperature));
  }

  /** The weight before the Gaussian of the window. @param {number} i @param {number} j @returns {Expression} */
  selected(i, j) {
    const logits = this.#line(this.result.logits, i);
    const { selection, seed } = this.state;
    if (selection === 'max-pool') return words(texts.why.pool);
    if (logits[j] === -Infinity) return zero(texts.why.zero(this.#why(i, j)));
    // The logits of the keys that the query sees, and where this key is among them.
    const seen = logits.map((x, at) => ({ x, at })).filter(({ x }) => x !== -Infinity);
    const numbers = seen.map(({ x }) => number(x, 'score'));
    const pick = seen.findIndex(({ at }) => at === j);
    if (selection === 'gate') return apply('sigmoid', numbers[pick]);
    if (selection === 'argmax') return largest(numbers, pick);
    if (selection === 'sparsemax' || (selection === 'entmax' && this.state.alpha > 1)) return this.#sparse(i, j);
    if (selection === 'sampled') return words(texts.why.sampled(seed));
    return quotient(apply('exp', numbers[pick]), sum(numbers.map((x) => apply('exp', x))));
  }

  /** [(α - 1) l - τ]_+ to the power 1 / (α - 1), where τ is found from the largest weight. @param {number} i @param {number} j */
  #sparse(i, j) {
    const [logits, weights] = [this.#line(this.result.logits, i), this.#line(this.result.selected, i)];
    if (weights[j] === 0) return zero(texts.why.zero(texts.why.threshold));
    const less = this.state.selection === 'sparsemax' ? 1 : this.state.alpha - 1;
    const best = weights.indexOf(Math.max(...weights));
    const threshold = apply('minus', number(less * logits[best] - weights[best] ** less));
    const logit = number(logits[j], 'score');
    if (less === 1) return sum([logit, threshold]);
    const above = sum([product(number(less), logit), threshold]);
    return less === 0.5 ? apply('square', above) : apply('exp', quotient(apply('log', above), number(less)));
  }

  /** @param {number} i @param {number} j @returns {Expression} */
  weight(i, j) {
    const gaussian = this.#gaussian(i, j);
    if (!gaussian || this.#at(this.result.logits, i, j) === -Infinity) return this.selected(i, j);
    return product(number(this.#at(this.result.selected, i, j), 'weights'), gaussian);
  }

  /** The Gaussian of the window at a key; null: the window has none. @param {number} i @param {number} j */
  #gaussian(i, j) {
    const { centres } = this.result;
    if (!centres || this.state.window !== 'local-p') return null;
    const p = centres.data[this.head * this.sizes.queries + i];
    const away = apply('square', sum([number(j), apply('minus', number(p))]));
    const spread = product(number(2), apply('square', quotient(number(this.state.halfWidth), number(2))));
    return apply('exp', apply('minus', quotient(away, spread)));
  }

  /** @param {number} i @param {number} j @param {number} c a column of this head */
  weighted(i, j, c) {
    const value = this.#row(valuesOf(this.state), j)[c];
    return product(number(this.#at(this.result.weights, i, j), 'weights'), number(value, 'value'));
  }

  /** @param {number} i @param {number} c a column of this head @returns {Expression} */
  context(i, c) {
    const keys = Array.from({ length: this.sizes.keys }, (_, j) => j);
    const seen = keys.filter((j) => this.#at(this.result.logits, i, j) !== -Infinity);
    if (seen.length === 0) return zero(texts.why.zero(texts.why.nothing));
    if (this.state.selection === 'max-pool') {
      const values = seen.map((j) => this.#row(valuesOf(this.state), j)[c]);
      const largest = max(values.map((x) => number(x, 'value')));
      const gaussian = this.#gaussian(i, seen[values.indexOf(Math.max(...values))]);
      return gaussian ? product(gaussian, largest) : largest;
    }
    return sum(seen.map((j) => this.weighted(i, j, c)));
  }
}
