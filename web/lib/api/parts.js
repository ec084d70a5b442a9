// The parts of the translator that are loaded when they are first needed. static.js includes them in the script
// instead.
export const parts = {
  more: async () => (await import('./more.js')).more,
  markup: async () => (await import('../markup/index.js')).markup,
  kept: async () => (await import('../store/stored-models.js')).kept,
};
