import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

export interface Running {
  child: ChildProcess;
  /** Everything it has said. */
  said(): string;
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
export function run(file: string, env: NodeJS.ProcessEnv): Running {
  const child = spawn(process.execPath, [path.join(__dirname, '..', '..', file)], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...encryption(), ...env },
  });
  let text = '';
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
  return {
    child,
    ended,
    said: () => text,
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
