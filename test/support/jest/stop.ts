import './start';
import { endProcess } from '#test/support/process-end';

export default async function stop(): Promise<void> {
  await endProcess();
  const started = globalThis.parleyTests;
  if (!started) return;
  await Promise.all([started.server.stop(), started.chromium.stop()]);
}
