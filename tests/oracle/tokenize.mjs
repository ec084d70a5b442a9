// Encodes lines of JSON, [text] or [first, second], to ids and segment types with npm's @huggingface/tokenizers:
//
//     node tests/oracle/tokenize.mjs tokenizer.json < lines
import { readFileSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';

const tokenizer = new Tokenizer(JSON.parse(readFileSync(process.argv[2], 'utf8')), {});
for (const line of readFileSync(0, 'utf8').trim().split('\n')) {
  const [text, second] = JSON.parse(line);
  const { ids, token_type_ids: types } = tokenizer.encode(text, { text_pair: second, return_token_type_ids: true });
  console.log(JSON.stringify([ids, types]));
}
