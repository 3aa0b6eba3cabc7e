/** Run a program quietly; what it wrote is shown only when it fails. */
import { spawn } from 'node:child_process';
import { PROJECT } from './paths.mjs';

const MAX_OUTPUT_LENGTH = 200_000;

/**
 * Resolves to {ok, output}; never rejects. `findStallReason` is asked every second whether to give up, and why. `onOutput` gets
 * what the program writes as it writes it. `as` is the user it runs as, where that is not ours.
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
    // As text: a chunk may end in the middle of a character.
    child.stdout.setEncoding('utf8');
    child.stderr.setEncoding('utf8');
    child.stdout.on('data', append);
    child.stderr.on('data', append);
    // Stopped half-way, leave no process behind that works on what the next set-up will work on.
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

/** Whether a program runs at all, and says what it should when asked. */
export async function canRunProgram(command, args, expected, options) {
  const { ok, output } = await runProgram(command, args, options);
  return ok && expected.test(output);
}

export function lastLines(output, count = 15) {
  return output.trimEnd().split('\n').slice(-count).join('\n');
}

/** npm says what is wrong first, and then how to use it. */
export function firstLines(output, count = 15) {
  return output.trim().split('\n').slice(0, count).join('\n');
}

/** The line that says most about a failure: the last that is not empty. */
export function lastLine(output) {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).at(-1) ?? 'no reason given';
}
