// Which models are kept for the next visit: those that have URLs.
import { storeSettings } from '../../web/lib/api/store-settings.js';

const settings = (files) => storeSettings({ key: Symbol('one'), name: 'one', source: { files } }, {});

test('a model of bytes is not kept, and its bytes are not written as text', () => {
  const bytes = new Uint8Array(4);
  bytes.toString = () => {
    throw new Error('written as text');
  };
  expect(settings({ 'model.safetensors': bytes })).toBeUndefined();
  expect(settings({ 'config.json': 'https://a.example/config.json', 'model.safetensors': bytes })).toBeUndefined();
  expect(settings({ 'config.json': 'https://a.example/config.json' }).key).toBe('https://a.example/config.json');
});
