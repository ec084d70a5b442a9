// The parts of the translator that are loaded when they are first needed. static.js replaces these functions, and includes
// the parts in its script.
export const parts = {
  more: async () => (await import('./more.js')).more,
  markup: async () => (await import('../markup/index.js')).markup,
  kept: async () => (await import('../store/stored-models.js')).kept,
};
