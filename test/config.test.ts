import { readConfig } from '../src/config';

describe('the environment', () => {
  it('needs nothing at all', () => {
    expect(readConfig({})).toMatchObject({
      port: undefined,
      host: '127.0.0.1',
      model: undefined,
      temporal: { namespace: 'default' },
    });
  });

  it('is checked once, and every fault is named', () => {
    const wrong = {
      PORT: 'x',
      HOST: '0.0.0.0',
      LOG_LEVEL: 'loud',
      ANTHROPIC_BASE_URL: 'here',
      TEMPORAL_CLI: '/no/such/file',
      PARLEY_SECRET: 'short',
      PARLEY_CORS_ORIGINS: 'https://app.example.com/path',
      PARLEY_RATE_LIMIT: '0',
      PARLEY_REDIS_URL: 'http://redis',
      PARLEY_TRUST_PROXY: 'all',
      PARLEY_PUBLIC_URL: 'https://user:secret@parley.example.com',
    };
    let said = '';
    try {
      readConfig(wrong);
    } catch (error) {
      said = (error as Error).message;
    }
    for (const name of Object.keys(wrong)) expect(said).toContain(`${name}: `);
    expect(said).toMatch(/HOST: .*loopback/);
    expect(said).not.toContain('secret@');
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig({ PORT: '', ANTHROPIC_API_KEY: '', TEMPORAL_ADDRESS: '' })).toEqual(readConfig({}));
  });

  it('has the real model with a key, or with an address of its own', () => {
    expect(readConfig({ ANTHROPIC_API_KEY: 'k' }).model).toEqual({ apiKey: 'k' });
    expect(readConfig({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }).model).toMatchObject({
      baseURL: 'http://127.0.0.1:1',
    });
  });

  it('says which of the TEMPORAL_ variables is wrong', () => {
    expect(() =>
      readConfig({
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/no/such/file',
        TEMPORAL_TLS: 'true',
        TEMPORAL_ADDRESS: 'x:1',
      }),
    ).toThrow(/TEMPORAL_/);
  });
});
