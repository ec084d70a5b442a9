// The soak tests in full: 100,000 translations, 200 translators, an abort after each step of a long job.

import { say } from '../../web/tools/common.mjs';
import { soaks } from '../soak/soaks.mjs';

export async function* soak() {
  for (const { name, full, run } of soaks) {
    say(`soak: ${full} ${name}`);
    const { summary, complaints } = await run(full);
    const isGood = complaints.length === 0;
    yield {
      name: `${full} ${name}`,
      summary: isGood ? summary : `${summary}. ${complaints.join('; ')}`,
      [isGood ? 'passed' : 'failed']: 1,
    };
  }
}
