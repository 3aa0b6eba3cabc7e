import { saltFrom } from '#api/salt';
import { readConfig } from '#config';
import { pseudonymOf } from '#core/audience';
import { keptSecret } from '#kept-secret';
import { dataConverter } from '#temporal/converter';
import type { Parley } from './parley';

/** What the run encrypts with, if it does: `npm run test:encrypted`. */
export const testKeys = () =>
  readConfig({ PARLEY_ENCRYPTION_KEYS: process.env.PARLEY_TEST_ENCRYPTION }).temporal.encryption;

/** For clients that a test makes itself. */
export const testConverter = () => dataConverter(testKeys());

/** For tests that look at what is kept, byte by byte. */
/** For tests with keys of their own: what they leave cannot be read by the others, whose lists would say so. */
export const SEALED_NAMESPACE = 'sealed';

export const IN_CLEAR = { PARLEY_ENCRYPTION_KEYS: '' };

/** As a name is indexed. */
export function indexed({ config }: Parley, name: string): string {
  return config.temporal.encryption
    ? pseudonymOf(name, saltFrom(keptSecret(config.secret, config.data)))
    : name;
}
