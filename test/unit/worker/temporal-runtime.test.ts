import { EncryptionKeyError } from '#infra/crypto/aes-gcm';
import { createMissingKeyReporter } from '#infra/log';
import { collectLog } from '#test/support/collect-log';
import { createTemporalLogHandler } from '#worker/temporal-runtime';

const logEntry = (message: string, error: object) => ({
  level: 'WARN' as const,
  timestampNanos: 0n,
  message,
  meta: { error },
});

describe('log lines of the Temporal SDK', () => {
  it('are omitted if Parley logs the same failure, or they are always so', () => {
    const { log, lines } = collectLog();
    const handleLogEntry = createTemporalLogHandler(log);
    handleLogEntry(logEntry('Activity failed', { type: 'not_sent' }));
    handleLogEntry(logEntry('Activity failed', { type: 'not_archived' }));
    handleLogEntry(logEntry('No workflows registered, not polling for workflow tasks', {}));
    handleLogEntry(logEntry('Activity failed', new Error('another')));
    handleLogEntry(logEntry('Something else', { type: 'not_sent' }));
    expect(lines().map(({ msg }) => msg)).toEqual(['Activity failed', 'Something else']);
  });
});

it('a missing key is logged once, by its id, also as a cause', () => {
  const { log, lines } = collectLog();
  const reportMissingKey = createMissingKeyReporter(log);
  const missingKeyError = (id: string) => new Error('no', { cause: new EncryptionKeyError(id, false) });
  expect(['k1', 'k1', 'k2'].map((id) => reportMissingKey(missingKeyError(id)))).toEqual([true, true, true]);
  expect(reportMissingKey(new Error('another'))).toBe(false);
  expect(lines().map(({ encryptionKey }) => encryptionKey)).toEqual(['k1', 'k2']);
});
