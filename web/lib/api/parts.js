// The parts of the translator that are fetched when they are first needed. static.js puts them into the script instead.
export const parts = {
  more: () => import('./more.js'),
};
