import './global-setup';
import { runProcessEndHooks } from './process-end';

export default async function stop(): Promise<void> {
  await runProcessEndHooks();
  const started = globalThis.parleyTests;
  if (!started) return;
  await Promise.all([started.server.stop(), started.chromium.stop()]);
}
