/** A shell on its own screen, whose frames are recorded as they change. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from '../setup/log.mjs';
import { findTmux } from '../setup/tools/tmux.mjs';
import { makeLinesStandalone } from './ansi.mjs';

const POLL_INTERVAL_MS = 80;
const TIMEOUT_MS = 60_000;
/** Delay between keys, like a fast typist. */
const KEY_INTERVAL_MS = 45;

/** Opens a screen. `rc` holds shell commands that run before the recording. */
export function openScreen({ columns, rows, rc, cwd }) {
  const program = findTmux();
  if (!program) throw new SetupError('tmux not found. Install it, so that it is on PATH.');
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-recording-'));
  const rcFile = path.join(folder, 'rc');
  writeFileSync(rcFile, rc);
  const tmux = (...args) =>
    execFileSync(program, ['-L', 'recording', '-f', '/dev/null', ...args], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: folder, TMUX_TMPDIR: folder, LANG: 'C.UTF-8' },
    });
  tmux('new-session', '-d', '-s', 'screen', '-x', String(columns), '-y', String(rows), `bash --rcfile '${rcFile}'`);

  let frames = [];
  let isOpen = true;
  let startedAt = performance.now();
  const capture = () =>
    makeLinesStandalone(tmux('capture-pane', '-p', '-e', '-t', 'screen').replace(/\n$/, '').split('\n'));
  const recording = (async () => {
    while (isOpen) {
      const lines = capture();
      if (lines.join('\n') !== frames.at(-1)?.lines.join('\n'))
        frames.push({ seconds: (performance.now() - startedAt) / 1_000, lines });
      await sleep(POLL_INTERVAL_MS);
    }
  })();

  return {
    /** Starts the recording and drops earlier frames. */
    begin() {
      frames = [];
      startedAt = performance.now();
    },
    async until(text) {
      const deadline = performance.now() + TIMEOUT_MS;
      for (;;) {
        const screenText = tmux('capture-pane', '-p', '-t', 'screen');
        if (screenText.includes(text)) return;
        if (performance.now() > deadline) throw new SetupError(`${text} is not on the screen:\n${screenText}`);
        await sleep(POLL_INTERVAL_MS);
      }
    },
    async type(text) {
      for (const character of text) {
        tmux('send-keys', '-t', 'screen', '-l', '--', character);
        await sleep(KEY_INTERVAL_MS);
      }
    },
    press: (key) => tmux('send-keys', '-t', 'screen', key),
    pause: (seconds) => sleep(seconds * 1_000),
    /** Closes the screen and returns the frames, the first at 0 seconds. */
    async close() {
      isOpen = false;
      await recording;
      tmux('kill-server');
      rmSync(folder, { recursive: true, force: true });
      const [first] = frames;
      return frames.map(({ seconds, lines }) => ({ seconds: seconds - (first?.seconds ?? 0), lines }));
    },
  };
}
