// Everyday sentences, as the default model knows them.

export const kFirst = 'My brother lives in a big white house.';

export const kExamples = [
  kFirst,
  'Could you help me, please?',
  'It’s raining, so take your umbrella.',
  'I lost my keys. Did you see them?',
];
