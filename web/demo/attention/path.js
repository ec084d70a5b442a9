// The way through attention: the lessons in the order in which each needs only those before it. Each stop has a question, says
// what is lost without the idea, and asks for one change of the numbers, which the page checks.

import { keysOf } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./compute.js').Result} Result */

/**
 * @typedef {object} Seen
 * @property {State} state
 * @property {Result} result
 * @property {Result} first of the lesson as it begins
 */

/**
 * @typedef {object} Stop
 * @property {string} id of the lesson
 * @property {string} question
 * @property {string} without what is lost without it
 * @property {string} exercise
 * @property {(seen: Seen) => boolean} isDone
 */

/** The weights of a query in the first head. @param {Result} result @param {number} [query] */
function weightsOf({ weights }, query = 0) {
  const [, , keys] = weights.shape;
  return Array.from(weights.data).slice(query * keys, (query + 1) * keys);
}

/** The likeliest key of a query. @param {Result} result @param {number} [query] */
function best(result, query = 0) {
  const row = weightsOf(result, query);
  return row.indexOf(Math.max(...row));
}

const largest = (/** @type {Result} */ result) => Math.max(...weightsOf(result));

/** @type {Stop[]} */
export const path = [
  {
    id: 'kernel',
    question: 'How can a mean look at what matters?',
    without: 'A plain mean gives every query the same answer.',
    exercise: 'Move the query or the width until one point alone has more than 0.9 of the weight.',
    isDone: ({ result }) => largest(result) > 0.9,
  },
  {
    id: 'bank',
    question: 'What are a query, a key and a value?',
    without: 'A dictionary that wants the exact key has no answer for a blurred one.',
    exercise: 'Change τ until the second nearest person has at least 0.2 of the weight.',
    isDone: ({ result }) => weightsOf(result).toSorted((a, b) => b - a)[1] >= 0.2,
  },
  {
    id: 'shapes',
    question: 'Which sizes must fit, and which are free?',
    without: 'Most first mistakes with attention are a matrix that lies on its side.',
    exercise: 'Make queries and keys of different sizes, with a score that takes them.',
    isDone: ({ state }) => state.query[0].length !== keysOf(state)[0].length,
  },
  {
    id: 'bottleneck',
    question: 'Why was attention needed?',
    without: 'One vector has to hold the whole sentence, whatever its length.',
    exercise: 'Change the query at t = 0 until it reads another word most than at first.',
    isDone: ({ result, first }) => best(result) !== best(first),
  },
  {
    id: 'additive',
    question: 'How did Bahdanau’s decoder choose where to look?',
    without: 'A decoder without it writes every word from the same summary.',
    exercise: 'Change numbers of w_v until the first query looks most at another word than before.',
    isDone: ({ result, first }) => best(result) !== best(first),
  },
  {
    id: 'compare',
    question: 'What does a score prefer?',
    without: 'Where a score sees length, a long vector wins before its meaning counts.',
    exercise: 'Choose, on the right, the score that gives k₁ and 2 k₁ the same weight.',
    isDone: ({ state, result }) =>
      state.score === 'cosine' && Math.abs(weightsOf(result)[0] - weightsOf(result)[1]) < 1e-3,
  },
  {
    id: 'scale',
    question: 'Why is the product divided by √d?',
    without: 'In high dimensions one key takes all, and almost no gradient is left to learn by.',
    exercise: 'Choose the score “dot”, and a size at which some key has more than 0.95 of a query’s weight.',
    isDone: ({ state, result }) => state.score === 'dot' && Math.max(...Array.from(result.weights.data)) > 0.95,
  },
  {
    id: 'local',
    question: 'Must every query see every word?',
    without: 'Each step costs a look at the whole text, however long it is.',
    exercise: 'Make the window so narrow that the query at t = 3 gives a weight above 0.02 to no more than one word.',
    isDone: ({ result }) => weightsOf(result, 3).filter((weight) => weight > 0.02).length <= 1,
  },
  {
    id: 'hard',
    question: 'Can a model look at one place only?',
    without: 'Soft attention has to read everything, to take a little of each.',
    exercise: 'Lower the temperature until one soft weight is larger than 0.9.',
    isDone: ({ result }) => Math.max(...softmax(Array.from(result.logits.data))) > 0.9,
  },
  {
    id: 'sparse',
    question: 'Can a weight be exactly 0?',
    without: 'Every key has some weight, and a long text is a long sum of small mistakes.',
    exercise: 'Choose the selection “sparsemax” and change numbers until one key has all the weight.',
    isDone: ({ state, result }) => state.selection === 'sparsemax' && largest(result) === 1,
  },
  {
    id: 'saliency',
    question: 'Who decides: the query, or what stands out?',
    without: 'Max pooling hears the loudest, whatever one wants to know.',
    exercise: 'Ask so that “music” has most of the weight.',
    isDone: ({ state, result }) => state.keyNames[best(result)] === 'music',
  },
  {
    id: 'pointer',
    question: 'Can the weights themselves be the answer?',
    without: 'A list of outputs that was fixed in training does not fit an input that is longer.',
    exercise: 'Change the numbers so that the second one is pointed to first.',
    isDone: ({ result }) => result.chosen.data[0] === 1,
  },
  {
    id: 'dense',
    question: 'How does it differ from a layer of fixed weights?',
    without: 'A dense layer mixes every sentence alike, and has one length.',
    exercise: 'Make the sentence longer than the five words that the dense layer was made for.',
    isDone: ({ state }) => state.query.length > 5,
  },
  {
    id: 'reach',
    question: 'Why did the Transformer drop recurrence?',
    without: 'A signal between distant words passes through every word between them.',
    exercise: 'Choose the smallest width d: self-attention then costs more than recurrence from 64 words on.',
    isDone: ({ state }) => Number(state.scene.d) === 64,
  },
  {
    id: 'linear',
    question: 'Must attention cost the square of the length?',
    without: 'A text of twice the length takes four times the work.',
    exercise: 'Turn off the causal mask, so that the first word reads the sums of the whole sentence.',
    isDone: ({ state }) => state.score === 'linear' && !state.causal,
  },
  {
    id: 'heads',
    question: 'Why several heads?',
    without: 'One softmax has one mean: it cannot look at two places for two reasons.',
    exercise: 'Set the number of heads to 1.',
    isDone: ({ state, first }) => first.weights.shape[0] > 1 && state.heads === 1,
  },
  {
    id: 'positions',
    question: 'How does attention know the order of words?',
    without: '“Dog bites man” and “man bites dog” are one and the same.',
    exercise: 'Give the words their positions, then shuffle them.',
    isDone: ({ state }) => Boolean(state.scene.on) && state.scene.order !== '0123',
  },
  {
    id: 'masks',
    question: 'What must a query not see?',
    without: 'A decoder that sees the next word copies it, and learns nothing.',
    exercise: 'Choose the causal mask, so that the first word sees itself alone.',
    isDone: ({ result }) => weightsOf(result)[0] === 1,
  },
  {
    id: 'readers',
    question: 'What is the difference between BERT and GPT?',
    without: 'A model that may see both sides cannot write; one that may not knows half of the sentence.',
    exercise: 'Turn GPT’s layer into BERT’s.',
    isDone: ({ state }) => !state.causal,
  },
  {
    id: 'limits',
    question: 'What does attention not tell?',
    without: 'A picture of weights is taken for an explanation.',
    exercise:
      'Change the keys or the query so that “great” has at most half of its weight, and the context stays within 0.05.',
    isDone: ({ result, first }) =>
      weightsOf(result)[0] <= weightsOf(first)[0] / 2 &&
      Array.from(result.output.data).every((x, i) => Math.abs(x - first.output.data[i]) <= 0.05),
  },
];

/** @param {number[]} logits */
function softmax(logits) {
  const most = Math.max(...logits);
  const odds = logits.map((x) => Math.exp(x - most));
  const sum = odds.reduce((a, b) => a + b, 0);
  return odds.map((x) => x / sum);
}
