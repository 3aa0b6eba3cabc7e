/** What the set-up tells the person who waits for it. */

/** A failure the person can act on: its message is all they need to see. */
export class Failure extends Error {}

const TICK = process.stdout.isTTY ? 100 : 15_000;
const SPINNER = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

export function say(line) {
  process.stdout.write(`${line}\n`);
}

export function fail(message) {
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
}

/**
 * Say what is going on for as long as it goes on: in place on a terminal, a line now and then elsewhere.
 * `work` resolves to something with `ok`, as `run` does.
 */
export async function during(what, work) {
  const began = Date.now();
  const elapsed = () => `${Math.round((Date.now() - began) / 1000)} s`;
  const ticking = process.stdout.isTTY ? spin(what, elapsed) : mention(what, elapsed);
  const result = await work();
  clearInterval(ticking);
  if (process.stdout.isTTY) say(`\r\x1b[K${result.ok ? '✓' : '✗'} ${what} (${elapsed()})`);
  return result;
}

function spin(what, elapsed) {
  let frame = 0;
  const draw = () => {
    const text = `${SPINNER[frame++ % SPINNER.length]} ${what} … ${elapsed()}`;
    // A line that wraps cannot be overwritten in place.
    process.stdout.write(`\r\x1b[K${text.slice(0, (process.stdout.columns || 80) - 1)}`);
  };
  draw();
  return setInterval(draw, TICK);
}

function mention(what, elapsed) {
  say(`${what} …`);
  return setInterval(() => say(`  still at it after ${elapsed()}: ${what}`), TICK);
}
