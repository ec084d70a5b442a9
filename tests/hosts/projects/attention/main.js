import { attention } from 'qkv/attention';

attention({
  query: [[0, 0]],
  memory: [
    [1, 2],
    [3, 4],
  ],
})
  .then(({ output }) => [...output.data].join(' '), String)
  .then((text) => (document.querySelector('p').textContent = text));
