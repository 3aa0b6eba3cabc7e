import { randomBytes } from 'node:crypto';
import type { AdminHandler } from '#cli/context';
import { EXIT, usageError } from '#cli/errors';
import { ApiKeyName, ApiKeys, Scope, serializeApiKey } from '#contract/permissions';
import { generateApiKey } from '#infra/crypto/api-keys';
import { EncryptionKeyId } from '#infra/crypto/encryption-keys';

interface Options {
  name?: string;
  scopes?: string;
  agents?: string;
  encryption?: true;
  id?: string;
}

export const runCreateKey: AdminHandler<Options> = async ({ terminal }, { options }) => {
  terminal.print(options.encryption ? formatNewEncryptionKey(options) : formatNewApiKey(options));
  return EXIT.completed;
};

function formatNewApiKey(options: Options): string {
  if (options.id !== undefined) throw usageError('--id requires --encryption.');
  if (options.name === undefined) throw usageError('Missing required option: --name.');
  const name = ApiKeyName.safeParse(options.name);
  if (!name.success) throw usageError(`--name: ${name.error.issues[0]?.message}.`);
  const scopes = Scope.array().safeParse(options.scopes?.split(','));
  if (!scopes.success) throw usageError(`--scopes must be a comma-separated list of ${Scope.options.join(', ')}.`);
  const { key, hash } = generateApiKey();
  const agents = options.agents?.split(',');
  const entry = serializeApiKey({ name: name.data, scopes: scopes.data, hash, agents });
  const parsed = ApiKeys.safeParse(entry);
  if (!parsed.success) throw usageError(`${parsed.error.issues[0]?.message}.`);
  return `
  API key for ${name.data}. It is shown only once:

    ${key}

  Add this to PARLEY_API_KEYS (entries are separated by white space) and restart the API:

    ${entry}

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

function formatNewEncryptionKey({ name, scopes, agents, id = generateKeyId() }: Options): string {
  if ([name, scopes, agents].some((value) => value !== undefined))
    throw usageError('--encryption cannot be combined with --name, --scopes or --agents.');
  const parsedId = EncryptionKeyId.safeParse(id);
  if (!parsedId.success) throw usageError(`--id: ${parsedId.error.issues[0]?.message}.`);
  return `
  Encryption key. It is shown only once; if you lose it, nobody can read what it encrypted:

    ${parsedId.data}:${randomBytes(KEY_BYTES).toString('base64')}

  First key: set PARLEY_ENCRYPTION_KEYS to it for the API and every worker, and restart them. Existing data stays
  readable, and new data is encrypted.

  Rotation, also with open conversations:
    1. Add the new key after the existing ones (separated by white space) for the API and every worker. All can read it.
    2. Move it to the front everywhere. It now encrypts new data.
    3. Remove the old key once everything it encrypted is past its retention.
`;
}
