import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ApiKeyName, Scope, serializeApiKey } from '#contract/permissions';
import { generateApiKey } from '#infra/crypto/api-keys';
import { EncryptionKeyId } from '#infra/crypto/encryption-keys';

const USAGE = `Makes an API key: shows it once, and the entry for PARLEY_API_KEYS, which holds only its hash.

  npm run key -- --name maria --scopes conversations:read,questions:answer

  --name    who the key stands for: conversations belong to it, and answers are recorded as given by it
  --scopes  ${Scope.options.join(', ')}, with commas between

Or a key that what is kept in Temporal is encrypted with: the entry for PARLEY_ENCRYPTION_KEYS.

  npm run key -- --encryption

  --id      what the key is called; unless told, by the day it is made and a few letters of chance`;

const OPTIONS = {
  name: { type: 'string' },
  scopes: { type: 'string' },
  encryption: { type: 'boolean' },
  id: { type: 'string' },
  help: { type: 'boolean' },
} as const;
type KeyOptions = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function runKeyCommand(): void {
  const { values } = parseArgs({ options: OPTIONS });
  console.log(values.help ? USAGE : values.encryption ? formatNewEncryptionKey(values) : formatNewApiKey(values));
}

function formatNewApiKey(values: KeyOptions): string {
  if (values.id !== undefined) throw new Error('--id goes with --encryption only.');
  const name = ApiKeyName.safeParse(values.name);
  if (!name.success)
    throw new Error(values.name === undefined ? 'Say --name.' : `--name: ${name.error.issues[0]?.message}.`);
  const scopes = Scope.array().safeParse(values.scopes?.split(','));
  if (!scopes.success) throw new Error(`--scopes takes ${Scope.options.join(', ')}, with commas between.`);
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

/** Generates a key id that no other installation has, so that foreign payloads are never mistaken for broken ones of ours. */
function generateKeyId(): string {
  return `k${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
}

function formatNewEncryptionKey({ name, scopes, id = generateKeyId() }: KeyOptions): string {
  if (name !== undefined || scopes !== undefined)
    throw new Error('--encryption goes with neither --name nor --scopes.');
  const parsedId = EncryptionKeyId.safeParse(id);
  if (!parsedId.success) throw new Error(`--id: ${parsedId.error.issues[0]?.message}.`);
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

try {
  runKeyCommand();
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 2;
}
