// How busy the machine is, and with which processes. Only Linux reports it.

import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const kTicks = 100; // ticks of a second in /proc

/** Seconds that all processors have worked since the machine's start. */
function worked() {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split(/\s+/).map(Number);
  return (user + nice + system + irq + softirq) / kTicks;
}

/** A file of /proc; empty once its process has ended. @param {string} path */
function proc(path) {
  try {
    return readFileSync(`/proc/${path}`, 'utf8');
  } catch {
    return '';
  }
}

/** This process's descendants. @returns {string[]} */
function descendants() {
  const children = new Map();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = proc(`${id}/stat`);
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    children.set(parent, [...(children.get(parent) ?? []), id]);
  }
  const tree = [...(children.get(String(process.pid)) ?? [])];
  for (const id of tree) tree.push(...(children.get(id) ?? []));
  return tree;
}

/** Seconds that a process's threads have worked, to the nanosecond, and its children that have ended. @param {string} id */
function workedBy(id) {
  let nanoseconds = 0;
  try {
    for (const thread of readdirSync(`/proc/${id}/task`)) {
      nanoseconds += Number(proc(`${id}/task/${thread}/schedstat`).split(' ')[0]);
    }
  } catch {
    // It has ended.
  }
  return nanoseconds / 1e9 + workedByEnded(id);
}

/** Seconds of a process's children that had ended when this was read. @param {string} id */
function workedByEnded(id) {
  const stat = proc(`${id}/stat`);
  if (stat === '') return 0;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / kTicks;
}

const workedBelow = () => descendants().reduce((sum, id) => sum + workedBy(id), workedByEnded('self'));
const workedHere = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;

/**
 * Starts to watch. The function returned gives what happened since: the share of all processors, 0 to 1, that other
 * processes had, and the seconds that this process's descendants worked.
 * @returns {() => {others?: number, ours?: number}}
 */
export function watch() {
  if (process.platform !== 'linux') return () => ({});
  const before = { worked: worked(), here: workedHere(), time: performance.now(), ours: workedBelow() };
  return () => {
    const ours = workedBelow() - before.ours;
    const seconds = (performance.now() - before.time) / 1000;
    const others = worked() - before.worked - ours - (workedHere() - before.here);
    return { others: Math.min(1, Math.max(0, others / seconds / availableParallelism())), ours };
  };
}
