/** What the set-up tells the person who waits for it. */
import { plainLine, terminalLine } from './progress.mjs';

/** A failure the person can act on: its message is all they need to see. */
export class Failure extends Error {}

const isTerminal = Boolean(process.stdout.isTTY);
const REDRAW = 100;
const MENTION = 15_000;

/** Steps that run now. On a terminal each has a line, redrawn in place below everything said before. */
const running = new Set();
let drawn = 0;
let frame = 0;
let redrawing;
/** Lines kept back while another program writes on the terminal. */
let held;

export function say(line) {
  if (held) held.push(line);
  else write(`${line}\n`);
}

export function fail(message) {
  running.clear();
  write('');
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
}

/**
 * Shows a step for as long as it runs: in place on a terminal, by a line now and then elsewhere. `work` gets a function
 * that takes its progress, `{done, total, unit, note}`, and resolves to something with `ok`, as `run` does.
 */
export async function during(what, work) {
  const step = { what, progress: undefined, began: Date.now() };
  const tell = (progress) => {
    step.progress = progress;
  };
  const end = isTerminal ? show(step) : mention(step);
  let ok = false;
  try {
    const result = await work(tell);
    ok = result.ok;
    return result;
  } finally {
    end(ok);
  }
}

/**
 * Keeps the terminal free for another program, such as jest, until the returned function is called. What was said
 * meanwhile follows then. Plain output is not held back: lines of two programs do not get in each other's way.
 */
export function holdOutput() {
  if (!isTerminal || held) return () => {};
  write('', []);
  held = [];
  return () => {
    const lines = held;
    held = undefined;
    write(lines.map((line) => `${line}\n`).join(''));
  };
}

function show(step) {
  running.add(step);
  redrawing ??= setInterval(redraw, REDRAW);
  redraw();
  return (ok) => {
    running.delete(step);
    if (running.size === 0) {
      clearInterval(redrawing);
      redrawing = undefined;
    }
    say(`${ok ? '✓' : '✗'} ${step.what} (${seconds(step)} s)`);
  };
}

function redraw() {
  frame++;
  if (!held) write('');
}

function mention(step) {
  say(`${step.what} …`);
  const timer = setInterval(() => say(plainLine({ ...step, seconds: seconds(step) })), MENTION);
  return (ok) => {
    clearInterval(timer);
    say(`${step.what}: ${ok ? 'done' : 'failed'} after ${seconds(step)} s`);
  };
}

/** Replaces the lines of the running steps by `text` and those lines again, in one write so that nothing flickers. */
function write(text, steps = [...running]) {
  if (!isTerminal) return void process.stdout.write(text);
  const erase = drawn > 0 ? `\x1b[${drawn}A\x1b[J` : '';
  const width = (process.stdout.columns || 80) - 1;
  const lines = steps.map((step) => `${terminalLine({ ...step, seconds: seconds(step), frame }, width)}\n`);
  drawn = lines.length;
  process.stdout.write(erase + text + lines.join(''));
}

function seconds({ began }) {
  return Math.round((Date.now() - began) / 1000);
}
