import { readConfig } from '#channels/read-config';
import { pseudonymize } from '#core/search-attributes';
import { deriveAudienceSalt } from '#infra/crypto/audience-salt';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createDataConverter } from '#infra/temporal/codec/data-converter';
import type { TestParley } from './start-parley';

/** The encryption keys of this test run, if any: `npm run test:encrypted`. */
export const readTestEncryptionKeys = () =>
  readConfig({ PARLEY_ENCRYPTION_KEYS: process.env.PARLEY_TEST_ENCRYPTION }).temporal.encryption;

/** Data converter for clients that a test creates itself. */
export const createTestDataConverter = () => createDataConverter(readTestEncryptionKeys());

/**
 * Namespace for tests with their own keys: other tests cannot read these conversations, and their lists would report
 * that.
 */
export const ENCRYPTED_NAMESPACE = 'sealed';

/** For tests that look at stored bytes. */
export const WITHOUT_ENCRYPTION = { PARLEY_ENCRYPTION_KEYS: '' };

/** Returns a name as the search attributes store it: a pseudonym if the run encrypts. */
export function toIndexedName({ config }: TestParley, name: string): string {
  return config.temporal.encryption
    ? pseudonymize(name, deriveAudienceSalt(loadOrCreateSecret(config.secret, config.dataFolder)))
    : name;
}
