import { createHash } from 'node:crypto';
import { readConfig } from '#channels/read-config';
import { ApiKeyName, ApiKeys, Scope, serializeApiKey } from '#contract/permissions';
import { findApiKey, generateApiKey } from '#infra/crypto/api-keys';

const { key: KEY, hash: HASH } = generateApiKey();
const OTHER_HASH = generateApiKey().hash;

/** What is said of them, or nothing. */
function configErrorOf(PARLEY_API_KEYS: string): string {
  try {
    readConfig({ PARLEY_API_KEYS });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the keys in the environment', () => {
  it('are read as they are written', () => {
    const keys = [
      { name: 'maria', scopes: ['conversations:read', 'questions:answer'] as Scope[], hash: HASH },
      { name: 'ci+nightly@example.com', scopes: ['admin'] as Scope[], hash: OTHER_HASH },
    ];
    for (const separator of [' ', '\n', ';', ' ; \n\t', ';;'])
      expect(ApiKeys.parse(`${separator}${keys.map(serializeApiKey).join(separator)}${separator}`)).toEqual(keys);
  });

  it('hold a hash that fits the key', () => {
    expect(HASH).toBe(createHash('sha256').update(KEY).digest('hex'));
    expect(KEY).toMatch(/^parley_[\w-]{43}$/);
    const keys = ApiKeys.parse(`maria=admin=${HASH} ben=admin=${OTHER_HASH}`);
    expect(findApiKey(keys, KEY)?.name).toBe('maria');
    expect(findApiKey(keys, `${KEY} `)).toBeUndefined();
  });

  it('are refused where two stand for one hash: whose would it be?', () => {
    expect(configErrorOf(`maria=admin=${HASH} ben=admin=${HASH}`)).toContain('one hash in two entries');
  });

  it('may be two under one name, while one is changed for the other', () => {
    const keys = ApiKeys.parse(`maria=admin=${HASH} maria=conversations:read=${OTHER_HASH}`);
    expect(keys.map(({ name, hash }) => [name, hash])).toEqual([
      ['maria', HASH],
      ['maria', OTHER_HASH],
    ]);
    expect(findApiKey(keys, KEY)?.scopes).toEqual(['admin']);
  });

  const FORMAT_MESSAGE = /write name=scope,scope=hash/;
  it.each([
    ['no hash', 'maria=admin', 'maria', FORMAT_MESSAGE],
    ['an empty hash', 'maria=admin=', 'maria', FORMAT_MESSAGE],
    ['no scopes', `maria==${HASH}`, 'maria', FORMAT_MESSAGE],
    ['a part too many', `maria=admin=${HASH}=x`, 'maria', FORMAT_MESSAGE],
    ['a name alone', 'maria', 'an entry', FORMAT_MESSAGE],
    ['no name', `=admin=${HASH}`, 'an entry', /a name is 1 to 64/],
    ['a name with a slash', `a/b=admin=${HASH}`, 'an entry', /a name is 1 to 64/],
    ['a name that stands for everybody', `*=admin=${HASH}`, 'an entry', /a name is 1 to 64/],
    ['a name with a quote', `o'neil=admin=${HASH}`, 'an entry', /a name is 1 to 64/],
    ['a name that is too long', `${'x'.repeat(65)}=admin=${HASH}`, 'an entry', /a name is 1 to 64/],
    ['a scope there is not', `maria=root=${HASH}`, 'maria', /the scopes are conversations:write, /],
    ['a scope in capitals', `maria=ADMIN=${HASH}`, 'maria', /the scopes are /],
    ['an empty scope', `maria=admin,=${HASH}`, 'maria', /the scopes are /],
    ['the key and not its hash', `maria=admin=${KEY}`, 'maria', /and not the key itself/],
    ['a hash that is cut', `maria=admin=${HASH.slice(1)}`, 'maria', /64 hex digits/],
    ['a hash in capitals', `maria=admin=${HASH.toUpperCase().replace(/\d/g, 'A')}`, 'maria', /64 hex digits/],
    ['the key alone', KEY, 'an entry', FORMAT_MESSAGE],
    ['the key and its scopes', `${KEY}=admin`, 'an entry', FORMAT_MESSAGE],
    ['the key for a name', `${KEY}=admin=${HASH}`, 'an entry', /the name and not the key itself/],
    ['the hash for a name', `${HASH}=admin=${KEY}`, 'an entry', /the name and not the key itself/],
    ['the parts the wrong way round', `${HASH}=admin=maria`, 'an entry', /the name and not the key itself/],
    ['something else altogether', 'hunter2-correct-horse', 'an entry', FORMAT_MESSAGE],
  ])(
    'are refused with %s, which names whose it is and shows no secret',
    (_case, entry, expectedLabel, expectedMessage) => {
      const message = configErrorOf(`ben=admin=${OTHER_HASH} ${entry}`);
      expect(message).toMatch(/^Invalid environment variables:\n {2}PARLEY_API_KEYS: /);
      expect(message).toContain(`PARLEY_API_KEYS: ${expectedLabel}: `);
      expect(message).toMatch(expectedMessage);
      const secretParts = entry.split('=').filter((part) => part.length > 8 && !Scope.safeParse(part).success);
      for (const part of secretParts) expect(message).not.toContain(part);
    },
  );

  it('are each told of, where several have faults', () => {
    const message = configErrorOf(`ann=x=${HASH} ben=admin=${OTHER_HASH} cid=admin=1`);
    expect(message.match(/PARLEY_API_KEYS: \w+/g)).toEqual(['PARLEY_API_KEYS: ann', 'PARLEY_API_KEYS: cid']);
  });

  it('are not none: a variable that is set and holds no key is a mistake', () => {
    for (const blank of [' ', ';', '\n ; \n']) expect(configErrorOf(blank)).toContain('holds no key');
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
