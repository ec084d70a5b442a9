// How busy processes outside this one's tree kept the machine. Linux alone says; elsewhere it is unknown.

import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const kTicks = 100; // a second, in /proc

/** Seconds that all processors have worked since the machine's start. */
function worked() {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split(/\s+/).map(Number);
  return (user + nice + system + irq + softirq) / kTicks;
}

/** Seconds that this process, its descendants and those of them that have ended have worked. */
function workedByOurs() {
  const seconds = new Map();
  const children = new Map();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = fieldsOf(id);
    if (!fields) continue;
    const parent = Number(fields[1]);
    seconds.set(
      Number(id),
      (Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])) / kTicks,
    );
    children.set(parent, [...(children.get(parent) ?? []), Number(id)]);
  }
  let total = 0;
  const tree = [process.pid];
  for (const id of tree) {
    total += seconds.get(id) ?? 0;
    tree.push(...(children.get(id) ?? []));
  }
  return total;
}

/** What /proc says of a process after its name, from its state on; null once it has ended. @param {string} id */
function fieldsOf(id) {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/**
 * Starts to watch. The function returned says what share of all processors, 0 to 1, others have had since.
 * @returns {() => number | undefined}
 */
export function watchOthers() {
  if (process.platform !== 'linux') return () => undefined;
  const before = { worked: worked(), ours: workedByOurs(), time: performance.now() };
  return () => {
    const others = worked() - before.worked - (workedByOurs() - before.ours);
    const seconds = (performance.now() - before.time) / 1000;
    return Math.min(1, Math.max(0, others / seconds / availableParallelism()));
  };
}
