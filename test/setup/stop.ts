import { rmSync } from 'node:fs';
import './start';

export default async function stop(): Promise<void> {
  const started = globalThis.parleyTests;
  if (!started) return;
  await started.server.stop();
  rmSync(started.folder, { recursive: true, force: true });
}
