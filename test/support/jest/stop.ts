import { endProcess } from '../process-end';
import './start';

export default async function stop(): Promise<void> {
  await endProcess();
  const started = globalThis.parleyTests;
  if (!started) return;
  await Promise.all([started.server.stop(), started.chromium.stop()]);
}
