import type { Config } from '../config';
import type { Tracing } from './tracing';

/** Loaded only where it is wanted: it is a good deal of code. */
export async function openTracing(
  settings: Config['tracing'],
  version: string,
): Promise<Tracing | undefined> {
  if (!settings) return undefined;
  const { otelTracing } = require('./otel') as typeof import('./otel.js');
  return otelTracing({ ...settings, version });
}
