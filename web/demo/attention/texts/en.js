// The English texts of the page Attention. Each other language has a file with the same keys; a test compares them. What is
// fixed in attention.html is written there; the other languages have it below `markup`.

export const en = {
  /** Texts of attention.html and of its head line, by data-text and data-label. @type {Record<string, string>} */
  markup: {},

  /** Words in equations, where they are others than in the equation's source. @type {Record<string, string>} */
  inEquations: {},

  page: {
    suffix: 'Attention · qkv',
    notStarted: (/** @type {string} */ why) => `The engine did not start: ${why} Reload the page to try again.`,
    equation: 'The lesson’s equation',
    head: (/** @type {number} */ h) => `Head ${h}`,
    back: '‹ Back',
    next: 'Next ›',
    all: 'Show all',
    stepThrough: 'Step through',
    at: (/** @type {number} */ at, /** @type {number} */ of) => `${at} of ${of}`,
    misfit: (/** @type {string} */ why) => `This does not fit: ${why}`,
    mends: 'Scores that take queries and keys of different sizes: ',
    point: 'Point at a cell: the sum that made it stands here.',
    copied: 'Copied.',
    copyByHand: 'The address of this page is the link: copy it from there.',
    tagByHand: (/** @type {string} */ tag) => `Copy it from here: ${tag}`,
    playground: 'Playground',
    without: (/** @type {string} */ what) => `Without it: ${what}`,
    begin: 'Begin the path: a mean that looks ›',
    nextStop: (/** @type {string} */ title) => `Next: ${title} ›`,
    done: 'Done.',
    exerciseDone: 'The exercise is done',
    save: 'Save this matrix',
  },

  program: {
    language: 'Language',
    copy: 'Copy',
    copied: 'Copied.',
    byHand: 'Select the text and copy it: this browser does not let the page.',
    misfit: 'The sizes do not fit yet.',
    name: 'The program',
    prints: 'It prints the scores, the logits, the weights and the output that the page shows.',
  },

  model: {
    loading: 'Loading the model…',
    loadingShare: (/** @type {number} */ percent) => `Loading the model, ${percent} %`,
    kinds: { cross: 'cross-attention', encoderSelf: 'encoder', decoderSelf: 'decoder' },
    taken: (
      /** @type {string} */ from,
      /** @type {string} */ to,
      /** @type {string} */ kind,
      /** @type {number} */ layer,
      /** @type {number} */ head,
    ) => `“${from}” became “${to}”. The playground has ${kind}, layer ${layer}, head ${head}.`,
    sentence: 'Sentence',
    attention: 'Attention',
    layer: 'Layer',
    head: 'Head',
    take: 'Take this head',
    about:
      'A sentence is translated, and one head’s own queries, keys and values are brought here, to three decimals. Point at a weight to see the product that made it; then try another score, a temperature, a window, or a hard selection.',
  },

  controls: {
    score: 'Score',
    selection: 'Selection',
    temperature: 'Temperature',
    draw: 'draw again',
    window: 'Window',
    half: 'half width D',
    sinks: 'First keys too',
    centres: 'places by hand',
    memory: 'Memory',
    memories: { 'key-value': 'K and V', one: 'K = V', self: 'Q = K = V' },
    heads: 'Heads',
    vector: 'A vector is a',
    row: 'row',
    column: 'column',
    seed: 'Seed',
    makeUp: 'Make up numbers',
    mask: 'Mask',
    causal: 'causal',
    byHand: 'by hand',
    bias: 'bias',
    once: 'no key twice',
    padding: 'Padding keys',
    queries: 'Queries',
    keys: 'Keys',
    querySize: 'Query size',
    keySize: 'Key size',
    valueSize: 'Value size',
    less: (/** @type {string} */ name) => `${name}: one less`,
    more: (/** @type {string} */ name) => `${name}: one more`,
  },

  stages: {
    all: 'Queries, keys and values',
    queries: 'Queries',
    keys: 'Keys',
    both: 'Keys and values',
    values: 'Values',
    parameter: 'Parameter',
    window: 'Window',
    places: 'Places',
    mask: 'Mask',
    bias: 'Bias',
    products: 'Products',
    eachPair: 'each query with each key',
    scale: 'Scale',
    scores: 'Scores',
    logits: 'Mask and window',
    gaussian: 'Gaussian',
    bell: 'times a bell around the place p',
    weighted: 'Weighted values',
    weightedOf: (/** @type {string} */ query) => `of ${query}: each value times its weight`,
    context: 'Context',
    colours: (/** @type {string} */ most) => ` · colours to ±${most}`,
    colours01: ' · colours 0 to 1',
  },

  /** How a score is made of what stands before it; d is the size of a query. */
  scored: {
    dot: () => 'each query with each key',
    'scaled-dot': (/** @type {number} */ d) => `÷ √d, with d = ${d}`,
    cosine: () => '÷ both lengths',
    alibi: (/** @type {number} */ d) => `÷ √${d}, less by the distance`,
    t5: () => 'with a number for each distance',
    shaw: (/** @type {number} */ d) => `÷ √d, with d = ${d}; each key moved by its distance`,
    linear: () => 'the logarithm of the product of features',
    gaussian: () => 'by the distance of query and key',
    location: () => 'from the query alone',
    other: () => 'of each query and key',
  },

  masked: {
    bias: '+ bias',
    temperature: (/** @type {number} */ t) => `÷ temperature ${t}`,
    causal: 'no later keys',
    padding: (/** @type {number} */ count) => `no padding (${count})`,
    byHand: 'by hand',
    once: 'no key twice',
    window: (/** @type {string} */ kind, /** @type {number} */ half) => `${kind}, D = ${half}`,
    sinks: (/** @type {number} */ count) => `and the first ${count}`,
    nothing: 'nothing is hidden',
  },

  summed: {
    pool: 'the largest of each column',
    joined: 'summed for each query, then joined in one vector',
    heads: 'summed; heads stand side by side',
    plain: 'the weighted values, summed',
  },

  selections: {
    soft: { title: 'Softmax', how: 'each query’s weights sum to 1' },
    argmax: { title: 'Argmax', how: 'all to the largest' },
    sampled: { title: 'Sampled', how: 'all to one that is drawn' },
    gate: { title: 'Gate', how: 'each for itself; no sum of 1' },
    sparsemax: { title: 'Sparsemax', how: 'sums to 1, with exact zeros' },
    entmax: { title: 'Entmax', how: 'between softmax and sparsemax: sums to 1, with exact zeros' },
    'max-pool': { title: 'Max pooling', how: 'the share of columns that a value wins; no query' },
  },

  /** Why a query does not see a key, and other sums in words. */
  why: {
    padding: 'the key is padding',
    causal: 'the key comes later than the query',
    mask: 'the mask hides this pair',
    bias: 'the bias hides this pair',
    window: 'the key lies outside of the window',
    taken: 'an earlier query has chosen this key',
    notSeen: (/** @type {string} */ why) => `not seen: ${why}`,
    zero: (/** @type {string} */ why) => `0: ${why}`,
    threshold: '0: its logit is not above the threshold of its row',
    pool: 'the share of the columns that this value wins',
    sampled: (/** @type {number} */ seed) => `drawn with seed ${seed} from the softmax of the row`,
    nothing: '0: this query sees nothing',
  },

  /** A matrix in a sentence. */
  summary: {
    size: (/** @type {string} */ title, /** @type {number} */ rows, /** @type {number} */ columns) =>
      `${title}, ${rows} by ${columns}`,
    nothing: (/** @type {string} */ size) => `${size}: nothing is seen.`,
    hidden: (/** @type {number} */ count) => `; ${count} not seen`,
    edit: ' Type a number, or press Shift and an arrow, to change it.',
    largest: (
      /** @type {string} */ size,
      /** @type {string} */ value,
      /** @type {string} */ row,
      /** @type {string} */ column,
      /** @type {string} */ hidden,
    ) => `${size}: the largest is ${value}, at ${row}, ${column}${hidden}.`,
  },

  lessons: {
    playground: {
      title: 'Playground',
      about: [
        'Each query asks each key how well it fits. The softmax makes weights of the answers, and the context is the mean of the values by these weights.',
        'Drag a number and watch what it moves. Every choice of the family is at hand, and all of them go together.',
      ],
    },

    kernel: {
      title: 'Kernel regression',
      about: [
        'Each point is a key x with a value y. A query asks what y is at some other x, and gets the mean of all values, weighted by how near their keys are.',
        'This was done fifty years before anybody said attention. The width of the bell decides how far a query listens: narrow, it follows every point; wide, it hears the mean of all.',
      ],
      question: 'How can a mean look at what matters?',
      without: 'A plain mean gives every query the same answer.',
      exercise: 'Move the query or the width until one point alone has more than 0.9 of the weight.',
      x: 'x: keys, and the query',
      y: 'y: values',
      width: 'width 1 / w',
      where: 'query x',
      query: 'query',
      hint: 'Drag a point, or the query. The bars are the query’s weights.',
      sentence: (/** @type {string} */ x, /** @type {string} */ y) => `At x = ${x} the curve is ${y}.`,
    },

    bank: {
      title: 'A memory bank',
      about: [
        'A dictionary finds a value by its exact key. Attention finds it by a key that is only near: the cosine says how near, the softmax decides.',
        'Small τ: the nearest key takes all, and the bank answers as a dictionary would. Large τ: the rooms blur into their mean.',
      ],
      question: 'What are a query, a key and a value?',
      without: 'A dictionary that wants the exact key has no answer for a blurred one.',
      exercise: 'Change τ until the second nearest person has at least 0.2 of the weight.',
      whose: 'Whose room',
      ask: 'ask for',
      noise: 'noise',
      warmth: 'the cosine’s τ',
      weights: 'Weights of the names',
      answer: (/** @type {string} */ room) => `The bank answers ${room}.`,
    },

    shapes: {
      title: 'Worked shapes',
      about: [
        'Here a vector is a column. Four queries of size 6 against three keys of size 6 give 3 × 4 scores: a row for each key, a column for each query.',
        'Three English words as keys and five Chinese characters as queries: the output has the queries’ shape, however long the memory is. Where the sizes of queries and keys differ, a product is not defined, and a score with a matrix between them mends it.',
      ],
      question: 'Which sizes must fit, and which are free?',
      without: 'Most first mistakes with attention are a matrix that lies on its side.',
      exercise: 'Make queries and keys of different sizes, with a score that takes them.',
      cases: 'Shapes',
      worked: '6 × 4 against 6 × 3',
      teacher: 'Good morning teacher',
      misfit: 'sizes that do not fit',
      picture: 'The shapes',
      by: (/** @type {string} */ name, /** @type {number} */ rows, /** @type {number} */ columns) =>
        `${name} ${rows} by ${columns}`,
      not: ': these sizes do not fit',
    },

    bottleneck: {
      title: 'One vector is too few',
      about: [
        'The first neural translators read a sentence into one vector, and wrote the translation from it. The plot shows six small models of this site by the length of the sentence. Luong’s, with attention, stay far above the one without at every length. (The Transformer among them was trained too briefly; the link below says more.)',
        'Below, the decoder asks for one word at a time. Each query makes a context vector of its own, so nothing has to fit into one vector for the whole sentence.',
      ],
      question: 'Why was attention needed?',
      without: 'One vector has to hold the whole sentence, whatever its length.',
      exercise: 'Change the query at t = 0 until it reads another word most than at first.',
      plot: 'BLEU by the length of the sentence: all fall as sentences grow; Luong’s models fall from 18 to 12, the model without attention from 4 to 2.',
      measured: 'Measured on models of this site, trained alike. ',
      how: 'How, and the numbers',
    },

    additive: {
      title: 'Bahdanau, step by step',
      about: [
        'Before it writes a word, the decoder has a state h(t − 1). A small network with one hidden layer scores it against each state of the encoder. The softmax makes weights a of the scores, and the context c is the mean of the encoder’s states. From c and h(t − 1) comes the new state h(t).',
        'Press “Step through” to see one stage at a time. The matrices W_q, W_k and w_v are learnt together with the translator; here you can change them.',
      ],
      question: 'How did Bahdanau’s decoder choose where to look?',
      without: 'A decoder without it writes every word from the same summary.',
      exercise: 'Change numbers of w_v until the first query looks most at another word than before.',
    },

    compare: {
      title: 'Scores compared',
      about: [
        'A score says how well a key fits a query, and there are many. Here four of them see the same numbers. The second key has the direction of the first and twice its length; the third is nearest to the query.',
        'The dot product prefers long keys. The cosine does not see length at all. The Gaussian prefers what is near. “general” and the additive score have matrices that are learnt, and so may prefer anything.',
      ],
      question: 'What does a score prefer?',
      without: 'Where a score sees length, a long vector wins before its meaning counts.',
      exercise: 'Choose, on the right, the score that gives k₁ and 2 k₁ the same weight.',
      scores: {
        dot: { name: 'dot product', says: 'length and direction' },
        'scaled-dot': { name: 'scaled dot product', says: 'the same, softer' },
        cosine: { name: 'cosine', says: 'direction alone' },
        gaussian: { name: 'Gaussian', says: 'distance' },
      },
      table: 'Weights by score',
      score: 'score',
    },

    scale: {
      title: 'Why the scale',
      about: [
        'The product of two random vectors of size d has variance d. Large scores make a sharp softmax: its entropy goes to 0, and so does its Jacobian, by which everything before it learns.',
        'Divided by √d, scores keep variance 1, and both stay where they are, whatever the size.',
      ],
      question: 'Why is the product divided by √d?',
      without: 'In high dimensions one key takes all, and almost no gradient is left to learn by.',
      exercise: 'Choose the score “dot”, and a size at which some key has more than 0.95 of a query’s weight.',
      size: 'size d',
      below: 'size d below',
      entropy: 'Entropy',
      entropyAxis: 'entropy of the softmax, nats',
      jacobian: 'Norm of the Jacobian',
      jacobianAxis: 'norm of its Jacobian',
      note: (/** @type {number} */ queries, /** @type {number} */ keys) =>
        `Means over ${queries} random queries of ${keys} random keys, sums over the engine’s weights.`,
      sentence: (
        /** @type {string} */ what,
        /** @type {number} */ d,
        /** @type {string} */ plain,
        /** @type {string} */ scaled,
      ) => `${what} at d = ${d}: ${plain} without the scale, ${scaled} with it.`,
      plain: 'without the scale',
      scaled: 'with 1 / √d',
    },

    luong: {
      title: 'Luong: ask with the new state',
      about: [
        'Bahdanau’s decoder asks with its old state h(t − 1), and makes the new one from the answer. Luong’s makes its new state h(t) first, asks with it, and joins the context to it: h̃(t). That is one path less through the recurrence, and any score will do: dot, general or concat.',
        'But then no step knows what the steps before it have read. Input feeding gives h̃(t) to the next step with the word. Here h̃ is the context itself, and the decoder has learnt to turn away from it.',
      ],
      question: 'Which state should ask, the old or the new?',
      without: 'Without input feeding a word may be translated twice, and another one never.',
      exercise: 'Let h(3) read another word than h(2), by input feeding.',
      path: 'Path',
      feeding: 'input feeding',
      step: 'step t',
      order: 'The order of the steps',
      asks: (/** @type {number} */ t, /** @type {number} */ state) => `To write word ${t}, h(${state}) asks`,
      weights: 'Weights of the step',
      reads: (/** @type {number} */ t, /** @type {string} */ word) => `Word ${t} is written with most of “${word}”.`,
    },

    local: {
      title: 'Local windows',
      about: [
        'Global attention looks at every word for every query, which is slow for long texts. Local attention looks at 2 D + 1 words around a place p.',
        'local-m takes the query’s own place, as if both languages had one order. local-p predicts the place, any number between the words, and lets weights fall with the distance from it. Places count from 0; n words are read.',
      ],
      question: 'Must every query see every word?',
      without: 'Each step costs a look at the whole text, however long it is.',
      exercise: 'Make the window so narrow that the query at t = 3 gives a weight above 0.02 to no more than one word.',
      weight: 'weight',
      window: 'window',
      query: 'query at t',
      half: 'half width D',
      place: 'place p',
      every: 'sees every word',
      around: (/** @type {string} */ p) => `looks around ${p}`,
      sentence: (
        /** @type {number} */ t,
        /** @type {string} */ where,
        /** @type {string} */ most,
        /** @type {string} */ word,
      ) => `The query at t = ${t} ${where}; most of its weight, ${most}, is on “${word}”.`,
    },

    sinks: {
      title: 'Attention sinks',
      about: [
        'A model that reads on without end keeps the last words alone: a window of D words, causal. Yet the weights of a softmax sum to 1, so what a query does not need must go somewhere. Trained models lay it on the first words of the text, whatever they are.',
        'When the window leaves these words behind, their share falls on words that do not fit, and the text goes wrong. Keep the first s keys besides the window, and it goes on for millions of words.',
      ],
      question: 'May a long text forget its first words?',
      without: 'The share that the first words held falls on words that do not fit.',
      exercise: 'Let the last query give its largest weight to the first word again: choose “First keys too”.',
    },

    hard: {
      title: 'Soft and hard',
      about: [
        'Soft attention takes a share of every value. Hard attention takes one value, drawn with the softmax’s probabilities, and needs no sum; but one draw says little, and no gradient goes through it.',
        'The mean of many hard answers is the soft answer. Draw more, and watch the upper bars settle on the lower ones.',
      ],
      question: 'Can a model look at one place only?',
      without: 'Soft attention has to read everything, to take a little of each.',
      exercise: 'Lower the temperature until one soft weight is larger than 0.9.',
      shares: 'Shares of the draws',
      weights: 'Soft weights',
      selection: 'Selection',
      draws: 'draws',
      again: 'Draw again',
      from: 'The softmax, which they are drawn from',
      below: 'below',
      mean: (/** @type {number} */ count) => (count === 1 ? 'One hard draw' : `Mean of ${count} hard draws`),
    },

    sparse: {
      title: 'Exact zeros',
      about: [
        'A softmax gives every key some weight, however bad it fits: a long text is a long sum of small mistakes. Sparsemax takes the nearest point among all weights that sum to 1, and that point often lies on an edge: keys below a threshold τ have a weight of exactly 0, and pass no gradient.',
        'Entmax has both as its ends: at α = 1 it is the softmax, at α = 2 sparsemax.',
      ],
      question: 'Can a weight be exactly 0?',
      without: 'Every key has some weight, and a long text is a long sum of small mistakes.',
      exercise: 'Choose the selection “sparsemax” and change numbers until one key has all the weight.',
      weights: (/** @type {string} */ kind) => `Weights by ${kind}`,
      zeros: (/** @type {number} */ keys, /** @type {number[]} */ [soft, entmax, sparsemax]) =>
        `Of ${keys} weights of the first query, exactly 0 are: softmax ${soft}, entmax ${entmax}, sparsemax ${sparsemax}.`,
    },

    saliency: {
      title: 'Intention and saliency',
      about: [
        'At a party the loudest voice wins, unless somebody says your name. Max pooling and winner-take-all choose by what stands out, and there is nothing that one could ask them.',
        'A query is an intention: the same memory answers differently to each. Ask for faces, and the loud poster is gone; ask for outlines, and the faces are.',
      ],
      question: 'Who decides: the query, or what stands out?',
      without: 'Max pooling hears the loudest, whatever one wants to know.',
      exercise: 'Ask so that “music” has most of the weight.',
      winner: 'winner takes all',
      pool: 'max pooling',
      asks: { party: ['ask: your name', 'ask: music'], picture: ['ask: faces', 'ask: outlines'] },
      scene: 'Scene',
      party: 'the cocktail party',
      picture: 'faces or outlines',
      outs: 'How much each stands out',
      weights: 'Weights',
      how: 'How to choose',
      out: 'How much it stands out',
      got: 'What is attended to',
    },

    pointer: {
      title: 'A pointer that sorts',
      about: [
        'The weights themselves can be the answer: a pointer names one of its inputs, so its outputs are as many as its inputs, however many these are.',
        'Each query asks for the largest number that no query before it has taken. Read in turn, what they point to is the sorted list.',
      ],
      question: 'Can the weights themselves be the answer?',
      without: 'A list of outputs that was fixed in training does not fit an input that is longer.',
      exercise: 'Change the numbers so that the second one is pointed to first.',
      order: 'Order',
      largest: 'largest first',
      smallest: 'smallest first',
      other: 'Other numbers',
      picture: 'What is pointed to',
      sentence: (/** @type {string} */ numbers, /** @type {string} */ sorted) =>
        `The numbers ${numbers} are pointed to in the order ${sorted}.`,
    },

    dense: {
      title: 'Dense and attentive',
      about: [
        'A dense layer over a sentence has one weight for each pair of places. It mixes every sentence in the same way, and a sentence of another length does not fit.',
        'Attention makes its weights from the sentence. Change the sentence, and they change; make it longer, and there are more of them, from the same parameters.',
      ],
      question: 'How does it differ from a layer of fixed weights?',
      without: 'A dense layer mixes every sentence alike, and has one length.',
      exercise: 'Make the sentence longer than the five words that the dense layer was made for.',
      sentence: 'Sentence',
      first: 'first sentence',
      another: 'another sentence',
      length: 'length',
      fixed: 'Dense: fixed weights',
      made: 'Attention: weights from the input',
      none: 'There is no such weight.',
      refused: (/** @type {number} */ words, /** @type {string} */ why) =>
        `The dense layer was made for ${words} words. The engine says: ${why}`,
      same: 'The dense weights are the same for every sentence.',
    },

    reach: {
      title: 'Every word in one step',
      about: [
        '“The keys that she lost were…”: the verb needs a word five places back. In a recurrent layer the signal goes through every state between them. In a convolution it needs a layer for every few words. In self-attention each word reads each other word at once.',
        'The price is n² products. While sentences are shorter than vectors are wide (n < d), that is the cheaper way. For long texts it is not: windows and linear attention are for these.',
      ],
      question: 'Why did the Transformer drop recurrence?',
      without: 'A signal between distant words passes through every word between them.',
      exercise: 'Choose the smallest width d: self-attention then costs more than recurrence from 64 words on.',
      kinds: ['recurrence', 'convolution, 3 wide', 'self-attention'],
      words: 'words n',
      paths: 'layers or steps between two words',
      costs: 'multiplications, millions',
      width: 'width d',
      pathsSaid: 'Between two words lie n steps of a recurrence, n / 2 layers of a convolution, one of self-attention.',
      costsSaid: (/** @type {number} */ d) => `Self-attention costs less than a recurrence below ${d} words.`,
    },

    linear: {
      title: 'Attention without the square',
      about: [
        'If a weight is a product φ(q)ᵀφ(k) of features, the sum over keys can be done first: M = ∑ φ(k)vᵀ and z = ∑ φ(k) are of one size, however long the text is, and each query reads them. The weights below are never needed; the matrix is what they would be.',
        'Causal, M and z grow by one key at a time: a recurrence. The price is the softmax: features above 0 cannot make one key much louder than all others.',
      ],
      question: 'Must attention cost the square of the length?',
      without: 'A text of twice the length takes four times the work.',
      exercise: 'Turn off the causal mask, so that the first word reads the sums of the whole sentence.',
      kinds: ['softmax', 'linear'],
      words: 'words n',
      costs: 'multiplications, millions',
      width: 'width d',
      sentence: (/** @type {number} */ words) =>
        `Linear attention multiplies less than softmax attention from ${words} words on.`,
      none: 'These choices have no form without weights.',
      same: (/** @type {number} */ numbers, /** @type {string} */ apart) =>
        `Computed without weights, from a state of ${numbers} numbers, the context differs by ${apart} at most.`,
    },

    heads: {
      title: 'Several heads',
      about: [
        'One softmax has one mean. Heads look through different columns of the same rows: here the first finds words of its own kind, the second the word before.',
        'Several queries may also ask one memory, and what they find is joined: each answers its own question, and the next layer sees all answers at once.',
      ],
      question: 'Why several heads?',
      without: 'One softmax has one mean: it cannot look at two places for two reasons.',
      exercise: 'Set the number of heads to 1.',
      several: 'What is several',
      heads: 'several heads',
      queries: 'several queries, one memory',
      named: (/** @type {number} */ h, /** @type {string} */ what) => `Head ${h}${what && `: ${what}`}`,
      what: ['same kind of word', 'the word before'],
    },

    positions: {
      title: 'Positions',
      about: [
        'Attention is a sum over a set: shuffle the words, and every word gets the same context as before. “Dog bites man” and “man bites dog” are one.',
        'So each place adds its own vector, the hands of clocks that run at different speeds. The same turn R(δ) leads from every place to the one δ later, so a layer can learn to look δ words away.',
      ],
      question: 'How does attention know the order of words?',
      without: '“Dog bites man” and “man bites dog” are one and the same.',
      exercise: 'Give the words their positions, then shuffle them.',
      on: 'with positions',
      shuffle: 'Shuffle the words',
      back: 'First order',
      before: 'Contexts in the first order',
      now: 'Contexts now, in the same rows',
      place: 'place i',
      turn: 'turn by δ',
      first: 'Shuffle, and compare.',
      same: 'Every word has the context that it had before.',
      changed: 'The order matters now: the contexts have changed.',
      rows: (/** @type {string} */ title) => `${title}, a row a word.`,
      frequency: (/** @type {number} */ f) => `frequency ${f}`,
      clocks: (/** @type {number} */ i, /** @type {number} */ later) =>
        `Two clocks with the hands of place ${i} and of place ${later}`,
    },

    distances: {
      title: 'Distances',
      about: [
        'Five times the same word: queries and keys are alike, and the numbers that tell them apart are those of their distance. T5 adds a number to the score, b, for each bucket of distances: near ones have a bucket each, far ones share one; its second row is for keys that come later.',
        'Choose the score “shaw”: there each distance has a vector that is added to the key, so that the query decides which distances it wants. What is learnt of a distance holds everywhere in a text.',
      ],
      question: 'Is it the place that matters, or the distance?',
      without: 'What is learnt at one place has to be learnt again at every other.',
      exercise: 'Change numbers of b until every word but the first looks most at the word before it.',
    },

    masks: {
      title: 'Masks',
      about: [
        'A decoder learns to write the next word from those before. Where it can see later words, it copies the answer and learns nothing: the causal mask hides them.',
        'Sentences of a batch are filled up to one length. Without a padding mask each query gives some of its weight to the filling, and its context depends on how long the other sentences were.',
      ],
      question: 'What must a query not see?',
      without: 'A decoder that sees the next word copies it, and learns nothing.',
      exercise: 'Choose the causal mask, so that the first word sees itself alone.',
      causal: 'causal mask',
      padding: 'padding mask',
      later: 'Weight on later words',
      filling: 'Weight on padding',
      laterShare: 'How much of its weight goes to later words',
      fillingShare: '… and to the padding',
    },

    block: {
      title: 'The block',
      about: [
        'Attention gives each word a mean of words. A mean of means is soon the same for all: after a few layers of attention alone, the words cannot be told apart. The residual adds what was there before, so a layer only has to add something.',
        'Sums grow with each layer. The norm gives every word the same size before it is read. The feed-forward layer works on each word by itself: attention mixes words, this mixes the columns of one word, and is not linear.',
      ],
      question: 'What stands around attention, and why?',
      without: 'A stack of attention alone forgets which word is which.',
      exercise: 'Turn off the residual, and go to a layer at which every word has the same weights.',
      layers: 'layers',
      ownPart: 'what is a word’s own',
      size: 'size of the numbers',
      residual: 'residual',
      norm: 'norm',
      feed: 'feed-forward',
      layer: 'layer below',
      alone: 'attention alone',
      chosen: 'with your choice',
      parts: (/** @type {number} */ layers, /** @type {string} */ value) =>
        `After ${layers} layers ${value} of the words is their own.`,
      sizes: (/** @type {number} */ layers, /** @type {string} */ value) =>
        `After ${layers} layers the numbers have the size ${value}.`,
      verdict: (/** @type {number} */ chosen, /** @type {number} */ alone) =>
        `After 8 layers a word’s own part is ${chosen} %, with attention alone ${alone} %.`,
    },

    decoder: {
      title: 'Writing with a cache',
      about: [
        'The encoder reads the source once. The decoder writes one word a step: its newest word asks the words before it, and by cross-attention the source. The keys and values of all that is read do not change any more.',
        'So they are kept: the cache. Without it each step computes all rows again, only to use the last one. With it each step adds a key and a value, and one query asks.',
      ],
      question: 'What does a decoder keep between two words?',
      without: 'Each word would cost as much as the whole text before it, squared.',
      exercise: 'Write all six words with the cache: the last step needs 6 products instead of 36.',
      words: 'words',
      products: 'products of a query with a key',
      step: 'step t',
      cache: 'with a cache',
      kinds: ['each step anew', 'with a cache'],
      written: (/** @type {string} */ words) => `Written so far: ${words || '–'}`,
      said: (/** @type {number} */ words, /** @type {number} */ anew, /** @type {number} */ cached) =>
        `For ${words} words: ${anew} products anew, ${cached} with a cache.`,
      verdict: (/** @type {number} */ t, /** @type {number} */ products, /** @type {number} */ apart) =>
        `Step ${t}: ${products} products. The newest word’s context differs from that of the other way by ${apart}.`,
    },

    readers: {
      title: 'BERT and GPT',
      about: [
        'Both are the same layers over one text. GPT is asked for the next word, so a word may see only those before it: the causal mask. BERT is asked for a word that was hidden, so it may look to both sides.',
        'Therefore GPT can write and BERT cannot, and BERT’s vector of a word knows the whole sentence. The page Understand has a BERT to ask, the page Generate a GPT.',
      ],
      question: 'What is the difference between BERT and GPT?',
      without: 'A model that may see both sides cannot write; one that may not knows half of the sentence.',
      exercise: 'Turn GPT’s layer into BERT’s.',
      below: 'Below',
      word: 'word',
      reads: (/** @type {string} */ model) => `Weights of ${model}`,
      vector: (/** @type {string} */ model, /** @type {string} */ word) => `${model}: what “${word}” reads`,
      later: (/** @type {string} */ word, /** @type {number} */ percent) =>
        `BERT’s “${word}” has ${percent} % of its weight on later words; GPT’s has none.`,
    },

    limits: {
      title: 'What attention does not tell',
      about: [
        'A large weight says that a value was read. It does not say that the answer would have been another one without it. Here the first two values are the same, so the weights may move between their keys, and the context stays.',
        'Jain and Wallace changed the weights of trained models in this way and often got the same predictions. Wiegreffe and Pinter answered that such weights are not what a model would learn. Both are right: weights are a record, not a reason.',
      ],
      question: 'What does attention not tell?',
      without: 'A picture of weights is taken for an explanation.',
      exercise:
        'Change the keys or the query so that “great” has at most half of its weight, and the context stays within 0.05.',
    },
  },
};
