/** Prints the progress of the set-up. */
import { formatPlainLine, formatTerminalLine } from './progress.mjs';

/** A failure that the user can fix. Only its message is printed. */
export class SetupError extends Error {}

const isTerminal = Boolean(process.stdout.isTTY);
const REDRAW_INTERVAL_MS = 100;
const LOG_INTERVAL_MS = 15_000;

/** The running steps. On a terminal, each has a line below the printed output, redrawn in place. */
const running = new Set();
let drawnLineCount = 0;
let frame = 0;
let redrawTimer;
/** Lines held back while another program writes to the terminal. */
let heldLines;

export function print(line) {
  if (heldLines) heldLines.push(line);
  else write(`${line}\n`);
}

export function exitWithError(message) {
  running.clear();
  write('');
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
}

/**
 * Shows a step while it runs: in place on a terminal, else by an occasional line. `work` gets a function that takes its
 * progress, `{done, total, unit, note}`. The step failed if it rejects, or resolves with `ok: false` like `runProgram`.
 */
export async function withProgress(what, work) {
  const step = { what, progress: undefined, began: Date.now() };
  const onProgress = (progress) => {
    step.progress = progress;
  };
  const endStep = isTerminal ? showStep(step) : logStep(step);
  let ok = false;
  try {
    const result = await work(onProgress);
    ok = result?.ok ?? true;
    return result;
  } finally {
    endStep(ok);
  }
}

/**
 * Keeps the terminal free for another program, such as jest, until the returned function is called, which prints the
 * lines held back. Without a terminal, nothing is held back, because whole lines of two programs do not conflict.
 */
export function holdOutput() {
  if (!isTerminal || heldLines) return () => {};
  write('', []);
  heldLines = [];
  return () => {
    const lines = heldLines;
    heldLines = undefined;
    write(lines.map((line) => `${line}\n`).join(''));
  };
}

function showStep(step) {
  running.add(step);
  redrawTimer ??= setInterval(redraw, REDRAW_INTERVAL_MS);
  redraw();
  return (ok) => {
    running.delete(step);
    if (running.size === 0) {
      clearInterval(redrawTimer);
      redrawTimer = undefined;
    }
    print(`${ok ? '✓' : '✗'} ${step.what} (${elapsedSeconds(step)} s)`);
  };
}

function redraw() {
  frame++;
  if (!heldLines) write('');
}

function logStep(step) {
  print(`${step.what}…`);
  const timer = setInterval(() => print(formatPlainLine({ ...step, seconds: elapsedSeconds(step) })), LOG_INTERVAL_MS);
  return (ok) => {
    clearInterval(timer);
    print(`${step.what}: ${ok ? 'done' : 'failed'} after ${elapsedSeconds(step)} s`);
  };
}

/** Replaces the lines of the running steps with `text` followed by those lines, in one write to avoid flicker. */
function write(text, steps = [...running]) {
  if (!isTerminal) return void process.stdout.write(text);
  const erase = drawnLineCount > 0 ? `\x1b[${drawnLineCount}A\x1b[J` : '';
  const width = (process.stdout.columns || 80) - 1;
  const lines = steps.map(
    (step) => `${formatTerminalLine({ ...step, seconds: elapsedSeconds(step), frame }, width)}\n`,
  );
  drawnLineCount = lines.length;
  process.stdout.write(erase + text + lines.join(''));
}

function elapsedSeconds({ began }) {
  return Math.round((Date.now() - began) / 1000);
}
