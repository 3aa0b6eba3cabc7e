import { randomBytes } from 'node:crypto';
import type { AdminHandler } from '#cli/context';
import { EXIT, usageError } from '#cli/errors';
import { ApiKeyName, Scope, serializeApiKey } from '#contract/permissions';
import { generateApiKey } from '#infra/crypto/api-keys';
import { EncryptionKeyId } from '#infra/crypto/encryption-keys';

interface Options {
  name?: string;
  scopes?: string;
  encryption?: true;
  id?: string;
}

export const runCreateKey: AdminHandler<Options> = async ({ terminal }, { options }) => {
  terminal.print(options.encryption ? formatNewEncryptionKey(options) : formatNewApiKey(options));
  return EXIT.completed;
};

function formatNewApiKey(options: Options): string {
  if (options.id !== undefined) throw usageError('--id goes with --encryption only.');
  if (options.name === undefined) throw usageError('Missing required option: --name.');
  const name = ApiKeyName.safeParse(options.name);
  if (!name.success) throw usageError(`--name: ${name.error.issues[0]?.message}.`);
  const scopes = Scope.array().safeParse(options.scopes?.split(','));
  if (!scopes.success) throw usageError(`--scopes takes ${Scope.options.join(', ')}, with commas between.`);
  const { key, hash } = generateApiKey();
  return `
  The key of ${name.data}. It is shown this once:

    ${key}

  Add this to PARLEY_API_KEYS (white space between entries) and start the API again:

    ${serializeApiKey({ name: name.data, scopes: scopes.data, hash })}

  Then:  curl -H 'Authorization: Bearer ${key}' …
`;
}

const KEY_BYTES = 32;

/**
 * Generates a key id unique across installations, so that payloads of another installation are not mistaken for corrupt
 * ones.
 */
function generateKeyId(): string {
  return `k${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
}

function formatNewEncryptionKey({ name, scopes, id = generateKeyId() }: Options): string {
  if (name !== undefined || scopes !== undefined)
    throw usageError('--encryption goes with neither --name nor --scopes.');
  const parsedId = EncryptionKeyId.safeParse(id);
  if (!parsedId.success) throw usageError(`--id: ${parsedId.error.issues[0]?.message}.`);
  return `
  A key to encrypt with. It is shown this once; without it what it encrypted cannot be read by anybody:

    ${parsedId.data}:${randomBytes(KEY_BYTES).toString('base64')}

  The first: set PARLEY_ENCRYPTION_KEYS to it for the API and every worker, and start them again. What is there already
  stays readable, and what is written from then on is encrypted.

  The next one, under open conversations:
    1. Add it after those that are there (white space between) for the API and every worker: all can read it now.
    2. Put it first, everywhere: from then on it encrypts.
    3. Take the old one away when nothing needs it: when everything it encrypted is past its retention.
`;
}
