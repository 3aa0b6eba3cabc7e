import { rmSync } from 'node:fs';
import path from 'node:path';
import { postGuardian } from './guardian';
import { Program, type ProgramOptions } from './program';

/** What runs in one folder, and goes with it. */
export interface Household {
  folder: string;
  parts: Program[];
  /** Resolves when it takes requests. */
  begin(program: Omit<ProgramOptions, 'logFile' | 'changed'>): Promise<void>;
  /** The last to have begun ends first. */
  stop(): Promise<void>;
}

export function openHousehold(folder: string): Household {
  const guardian = postGuardian(folder);
  const parts: Program[] = [];
  const changed = () => guardian.watch(parts.filter((part) => part.isUp()).map((part) => part.pid()));
  return {
    folder,
    parts,
    async begin(program) {
      const part = new Program({ ...program, changed, logFile: path.join(folder, `${program.name}.log`) });
      parts.push(part);
      await part.start();
    },
    async stop() {
      for (const part of [...parts].reverse()) await part.end();
      rmSync(folder, { recursive: true, force: true });
      guardian.dismiss();
    },
  };
}
