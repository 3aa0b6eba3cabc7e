import { parseArgs } from 'node:util';
import { makeKey } from './api/keys';
import { KeyName, Scope, writeKey } from './contract/access';

const USAGE = `Makes an API key: shows it once, and the entry for PARLEY_API_KEYS, which holds only its hash.

  npm run key -- --name maria --scopes conversations:read,questions:answer

  --name    who the key stands for: conversations belong to it, and answers are recorded as given by it
  --scopes  ${Scope.options.join(', ')}, with commas between`;

function run(): void {
  const { values } = parseArgs({
    options: { name: { type: 'string' }, scopes: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return console.log(USAGE);
  const name = KeyName.safeParse(values.name);
  if (!name.success)
    throw new Error(values.name === undefined ? 'Say --name.' : `--name: ${name.error.issues[0]?.message}.`);
  const scopes = Scope.array().safeParse(values.scopes?.split(','));
  if (!scopes.success) throw new Error(`--scopes takes ${Scope.options.join(', ')}, with commas between.`);
  const { key, hash } = makeKey();
  console.log(`
  The key of ${name.data}. It is shown this once:

    ${key}

  Add this to PARLEY_API_KEYS (white space between entries) and start the API again:

    ${writeKey({ name: name.data, scopes: scopes.data, hash })}

  Then:  curl -H 'Authorization: Bearer ${key}' …
`);
}

try {
  run();
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 2;
}
