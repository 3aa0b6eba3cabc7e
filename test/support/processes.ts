import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

export interface Running {
  child: ChildProcess;
  /** Everything it has said. */
  said(): string;
  /** Of that, what it gave as its result. */
  printed(): string;
  /** Resolves with what matched, as soon as it was said; rejects if the process ends first. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
}

/** As the whole run has it. */
function encryption(): NodeJS.ProcessEnv {
  const { PARLEY_TEST_ENCRYPTION: keys } = process.env;
  return keys ? { PARLEY_ENCRYPTION_KEYS: keys } : {};
}

/** A real process of ours, by a file under the project's folder. */
export function run(file: string, env: NodeJS.ProcessEnv, args: string[] = []): Running {
  const child = spawn(process.execPath, [path.join(__dirname, '../..', file), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...encryption(), ...env },
  });
  let text = '';
  let printed = '';
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk;
    hear(chunk);
  });
  child.stderr.on('data', hear);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
  return {
    child,
    ended,
    said: () => text,
    printed: () => printed,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text);
          if (match) resolve(match);
          return match;
        };
        if (look()) return;
        listeners.add(look);
        void ended.then((how) => reject(new Error(`it ended (${how}) before it said ${pattern}:\n${text}`)));
      }),
  };
}
