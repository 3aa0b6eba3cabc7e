/** A shell on a screen of its own, whose pictures are kept as they change. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../setup/log.mjs';
import { findTmux } from '../setup/tools/tmux.mjs';
import { standalone } from './ansi.mjs';

const LOOK_MS = 80;
const PATIENCE_MS = 60_000;
/** Between keys, as somebody types who knows what to say. */
const KEY_MS = 45;

/** `rc`: what the shell reads before anything is to be seen. */
export function openScreen({ columns, rows, rc, cwd }) {
  const program = findTmux();
  if (!program) throw new Failure('This needs tmux: install it, so that it is on PATH.');
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-recording-'));
  const file = path.join(folder, 'rc');
  writeFileSync(file, rc);
  const tmux = (...words) =>
    execFileSync(program, ['-L', 'recording', '-f', '/dev/null', ...words], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, TMUX_TMPDIR: folder, LANG: 'C.UTF-8' },
    });
  tmux('new-session', '-d', '-s', 'screen', '-x', String(columns), '-y', String(rows), `bash --rcfile '${file}'`);

  let frames = [];
  let isOpen = true;
  let began = performance.now();
  const capture = () => standalone(tmux('capture-pane', '-p', '-e', '-t', 'screen').replace(/\n$/, '').split('\n'));
  const filming = (async () => {
    while (isOpen) {
      const lines = capture();
      if (lines.join('\n') !== frames.at(-1)?.lines.join('\n'))
        frames.push({ at: (performance.now() - began) / 1_000, lines });
      await sleep(LOOK_MS);
    }
  })();

  return {
    /** What was before is not to be seen. */
    begin() {
      frames = [];
      began = performance.now();
    },
    async until(text) {
      const patience = performance.now() + PATIENCE_MS;
      for (;;) {
        const shown = tmux('capture-pane', '-p', '-t', 'screen');
        if (shown.includes(text)) return;
        if (performance.now() > patience) throw new Failure(`${text} is not to be seen:\n${shown}`);
        await sleep(LOOK_MS);
      }
    },
    async type(text) {
      for (const character of text) {
        tmux('send-keys', '-t', 'screen', '-l', '--', character);
        await sleep(KEY_MS);
      }
    },
    press: (key) => tmux('send-keys', '-t', 'screen', key),
    pause: (seconds) => sleep(seconds * 1_000),
    /** The pictures there are, from the first at 0. */
    async close() {
      isOpen = false;
      await filming;
      tmux('kill-server');
      rmSync(folder, { recursive: true, force: true });
      const [first] = frames;
      return frames.map(({ at, lines }) => ({ at: at - (first?.at ?? 0), lines }));
    },
  };
}
