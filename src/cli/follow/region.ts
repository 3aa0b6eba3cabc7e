import type { createLogUpdate } from 'log-update';
import type { Terminal } from '../terminal';

/** The end of the screen, which changes; what is printed goes above it and stays. */
export interface Region {
  print(lines: readonly string[]): void;
  show(lines: readonly string[]): void;
  /** Takes it off the screen. */
  clear(): void;
}

export async function createRegion({ output, height }: Terminal): Promise<Region> {
  const { createLogUpdate: create } = await import('log-update');
  const update: ReturnType<typeof createLogUpdate> = create(output);
  const room = () => height() - 2;
  return {
    print(lines) {
      // More than a screen at once would lose its beginning.
      for (let at = 0; at < lines.length; at += room())
        update.persist(lines.slice(at, at + room()).join('\n'));
    },
    show: (lines) => update(lines.slice(-room()).join('\n')),
    clear() {
      update.clear();
      update.done();
    },
  };
}
