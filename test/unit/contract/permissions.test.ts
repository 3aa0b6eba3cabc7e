import { createHash } from 'node:crypto';
import { readConfig } from '#channels/read-config';
import { ApiKeyName, ApiKeys, Audience, Scope, serializeApiKey } from '#contract/permissions';
import { findApiKey, generateApiKey } from '#infra/crypto/api-keys';

const { key: KEY, hash: HASH } = generateApiKey();
const OTHER_HASH = generateApiKey().hash;

/** The error message, or an empty string. */
function configErrorOf(PARLEY_API_KEYS: string): string {
  try {
    readConfig({ PARLEY_API_KEYS });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the keys in the environment', () => {
  it('are parsed', () => {
    const keys = [
      { name: 'maria', scopes: ['conversations:read', 'questions:answer'] as Scope[], hash: HASH },
      { name: 'ci+nightly@example.com', scopes: ['admin'] as Scope[], hash: OTHER_HASH },
    ];
    for (const separator of [' ', '\n', ';', ' ; \n\t', ';;'])
      expect(ApiKeys.parse(`${separator}${keys.map(serializeApiKey).join(separator)}${separator}`)).toEqual(keys);
  });

  it('may limit a key to agents', () => {
    const keys = [{ name: 'ci', scopes: ['conversations:write'] as Scope[], hash: HASH, agents: ['plain', 'open'] }];
    expect(ApiKeys.parse(keys.map(serializeApiKey).join())).toEqual(keys);
  });

  it('contain a hash that matches the key', () => {
    expect(HASH).toBe(createHash('sha256').update(KEY).digest('hex'));
    expect(KEY).toMatch(/^parley_[\w-]{43}$/);
    const keys = ApiKeys.parse(`maria=admin=${HASH} ben=admin=${OTHER_HASH}`);
    expect(findApiKey(keys, KEY)?.name).toBe('maria');
    expect(findApiKey(keys, `${KEY} `)).toBeUndefined();
  });

  it('are rejected if two have the same hash, since the caller would be ambiguous', () => {
    expect(configErrorOf(`maria=admin=${HASH} ben=admin=${HASH}`)).toContain('two entries with the same hash');
  });

  it('are rejected if two names differ only in case, which the index of some databases ignores', () => {
    expect(configErrorOf(`maria=admin=${HASH} Maria=admin=${OTHER_HASH}`)).toContain('differ only in case');
  });

  it('may be two with one name, for rotation', () => {
    const keys = ApiKeys.parse(`maria=admin=${HASH} maria=conversations:read=${OTHER_HASH}`);
    expect(keys.map(({ name, hash }) => [name, hash])).toEqual([
      ['maria', HASH],
      ['maria', OTHER_HASH],
    ]);
    expect(findApiKey(keys, KEY)?.scopes).toEqual(['admin']);
  });

  const FORMAT_MESSAGE = /must be name=scope,scope=hash/;
  it.each([
    ['no hash', 'maria=admin', 'maria', FORMAT_MESSAGE],
    ['an empty hash', 'maria=admin=', 'maria', FORMAT_MESSAGE],
    ['no scopes', `maria==${HASH}`, 'maria', FORMAT_MESSAGE],
    ['an extra part', `maria=admin=${HASH}=x=y`, 'maria', FORMAT_MESSAGE],
    ['agents that are none', `maria=conversations:write=${HASH}=A/b`, 'maria', /list of agent names/],
    ['agents for an admin', `maria=admin=${HASH}=plain`, 'maria', /admin cannot be limited/],
    ['only a name', 'maria', 'an entry', FORMAT_MESSAGE],
    ['no name', `=admin=${HASH}`, 'an entry', /name must be 1 to 64/],
    ['a name with a slash', `a/b=admin=${HASH}`, 'an entry', /name must be 1 to 64/],
    ['a name that stands for everyone', `*=admin=${HASH}`, 'an entry', /name must be 1 to 64/],
    ['a name with a quote', `o'neil=admin=${HASH}`, 'an entry', /name must be 1 to 64/],
    ['a name that is too long', `${'x'.repeat(65)}=admin=${HASH}`, 'an entry', /name must be 1 to 64/],
    ['an unknown scope', `maria=root=${HASH}`, 'maria', /list of: conversations:write, /],
    ['an upper-case scope', `maria=ADMIN=${HASH}`, 'maria', /scopes must be /],
    ['an empty scope', `maria=admin,=${HASH}`, 'maria', /scopes must be /],
    ['the key instead of its hash', `maria=admin=${KEY}`, 'maria', /not the key/],
    ['a truncated hash', `maria=admin=${HASH.slice(1)}`, 'maria', /64 hex digits/],
    ['an upper-case hash', `maria=admin=${HASH.toUpperCase().replace(/\d/g, 'A')}`, 'maria', /64 hex digits/],
    ['only the key', KEY, 'an entry', FORMAT_MESSAGE],
    ['the key and its scopes', `${KEY}=admin`, 'an entry', FORMAT_MESSAGE],
    ['the key as a name', `${KEY}=admin=${HASH}`, 'an entry', /the name, not the key/],
    ['the hash as a name', `${HASH}=admin=${KEY}`, 'an entry', /the name, not the key/],
    ['the parts in the wrong order', `${HASH}=admin=maria`, 'an entry', /the name, not the key/],
    ['something else entirely', 'hunter2-correct-horse', 'an entry', FORMAT_MESSAGE],
  ])(
    'are rejected with %s, naming the entry without showing a secret',
    (_case, entry, expectedLabel, expectedMessage) => {
      const message = configErrorOf(`ben=admin=${OTHER_HASH} ${entry}`);
      expect(message).toMatch(/^Invalid environment variables:\n {2}PARLEY_API_KEYS: /);
      expect(message).toContain(`PARLEY_API_KEYS: ${expectedLabel}: `);
      expect(message).toMatch(expectedMessage);
      const secretParts = entry.split('=').filter((part) => part.length > 8 && !Scope.safeParse(part).success);
      for (const part of secretParts) expect(message).not.toContain(part);
    },
  );

  it('are all reported if several have errors', () => {
    const message = configErrorOf(`ann=x=${HASH} ben=admin=${OTHER_HASH} cid=admin=1`);
    expect(message.match(/PARLEY_API_KEYS: \w+/g)).toEqual(['PARLEY_API_KEYS: ann', 'PARLEY_API_KEYS: cid']);
  });

  it('cannot be empty: a variable that is set and contains no key is an error', () => {
    for (const blank of [' ', ';', '\n ; \n']) expect(configErrorOf(blank)).toContain('contains no key');
    expect(configErrorOf('')).toBe('');
  });
});

describe('the name of a key', () => {
  it.each(['a', 'maria', 'Maria.Lopez', 'ci-bot_2', 'ann@example.com', 'a+b@example.com', '0', 'x'.repeat(64)])(
    'may be %s',
    (name) => expect(ApiKeyName.safeParse(name).success).toBe(true),
  );

  it.each(['', ' ', '-x', '.x', '@x', '*', 'a b', 'a"b', "a'b", 'a=b', 'a,b', 'a;b', 'ä', 'a\n', 'x'.repeat(65)])(
    'may not be %j',
    (name) => expect(ApiKeyName.safeParse(name).success).toBe(false),
  );
});

describe('a name in an access list', () => {
  it.each(['a\u202eb', 'a\u2066b', 'a\u200bb', '\ufeffa', 'a\u0000'])('may not be %j', (name) =>
    expect(Audience.safeParse([name]).success).toBe(false),
  );

  it('keeps its case, unless it is an address', () => {
    expect(Audience.parse(['Maria', 'Zoë', 'Maria@Example.com'])).toEqual(['Maria', 'Zoë', 'maria@example.com']);
  });
});
