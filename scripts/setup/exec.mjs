/** Runs programs quietly. Their output is shown only on failure. */
import { spawn } from 'node:child_process';
import { PROJECT } from './paths.mjs';

const MAX_OUTPUT_LENGTH = 200_000;

/**
 * Resolves to {ok, output}; never rejects. `findStallReason` is called every second and returns a reason to stop, if
 * any. `onOutput` gets the output as it is written. `as` is the user to run as, if not the current one.
 */
export function runProgram(command, args, options = {}) {
  const { env = process.env, cwd = PROJECT, findStallReason, onOutput, shell = false, as } = options;
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { env, cwd, shell, ...as, stdio: ['ignore', 'pipe', 'pipe'] });
    const append = (chunk) => {
      output = (output + chunk).slice(-MAX_OUTPUT_LENGTH);
      onOutput?.(chunk);
    };
    // Decoded as text, because a chunk may end in the middle of a character.
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8');
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    // If interrupted, leave no process behind that changes the same files as the next set-up.
    const killChild = () => child.kill();
    process.once('exit', killChild);
    const stallTimer = findStallReason && setInterval(killIfStalled, 1000);
    function killIfStalled() {
      const reason = findStallReason();
      if (!reason) return;
      append(`\n${reason}`);
      child.kill('SIGKILL');
    }
    const finish = (ok, reason = '') => {
      clearInterval(stallTimer);
      process.off('exit', killChild);
      resolve({ ok, output: output + reason });
    };
    child.on('error', (error) => finish(false, `${error.message}\n`));
    child.on('close', (code, signal) => finish(code === 0, signal && !findStallReason ? `\nended by ${signal}` : ''));
  });
}

/** Returns whether a program runs and prints the expected output. */
export async function canRunProgram(command, args, expected, options) {
  const { ok, output } = await runProgram(command, args, options);
  return ok && expected.test(output);
}

export function lastLines(output, count = 15) {
  return output.trimEnd().split('\n').slice(-count).join('\n');
}

/** Returns the first lines: npm prints the error first, then its usage. */
export function firstLines(output, count = 15) {
  return output.trim().split('\n').slice(0, count).join('\n');
}

/** Returns the last non-empty line, which usually has the reason of a failure. */
export function lastLine(output) {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).at(-1) ?? 'no reason given';
}
