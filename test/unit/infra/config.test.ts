import { readConfig } from '#channels/read-config';
import { ConfigError } from '#infra/config';

const KEY = Buffer.alloc(32, 7).toString('base64');

describe('the environment', () => {
  it('requires no variable', () => {
    expect(readConfig({})).toMatchObject({
      port: undefined,
      host: '127.0.0.1',
      model: undefined,
      temporal: { namespace: 'default' },
    });
  });

  it('is validated once, and every error is reported', () => {
    const invalidEnv = {
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
      PARLEY_WORKER_PORT: '70000',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'here',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_HEADERS: 'secret@',
      OTEL_TRACES_SAMPLER_ARG: '2',
    };
    let message = '';
    try {
      readConfig(invalidEnv);
    } catch (error) {
      message = (error as Error).message;
    }
    for (const name of Object.keys(invalidEnv)) expect(message).toContain(`${name}: `);
    expect(message).toMatch(/HOST: .*loopback/);
    expect(message).not.toContain('secret@');
  });

  it('requires keys to listen beyond this machine', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.7', 'parley.example.com'])
      expect(() => readConfig({ HOST })).toThrow(/HOST: .*loopback/);
    for (const HOST of ['127.0.0.1', 'localhost', '::1']) expect(readConfig({ HOST }).host).toBe(HOST);
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', ANTHROPIC_API_KEY: '', TEMPORAL_ADDRESS: '' })).toEqual(readConfig({}));
  });

  it('selects the real model with a key, or with a base URL', () => {
    expect(readConfig({ ANTHROPIC_API_KEY: 'k' }).model).toEqual({ apiKey: 'k' });
    expect(readConfig({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }).model).toMatchObject({
      baseURL: 'http://127.0.0.1:1',
    });
  });

  it('reports which of the TEMPORAL_ variables is invalid', () => {
    expect(() =>
      readConfig({
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/no/such/file',
        TEMPORAL_TLS: 'true',
        TEMPORAL_ADDRESS: 'x:1',
      }),
    ).toThrow(/TEMPORAL_/);
  });

  it.each<[string, string, RegExp]>([
    ['PARLEY_STORAGE', 'file:///tmp/a%zz', /PARLEY_STORAGE: must be s3:.*%25/],
    ['PARLEY_MODEL_PRICES', '{"mine": {"input": 2}}', /PARLEY_MODEL_PRICES: invalid prices: mine.output/],
    ['PARLEY_MODEL_PRICES', '/no/such/file', /PARLEY_MODEL_PRICES: must be JSON/],
    ['PARLEY_EXPORTS', 'ftp://somewhere', /PARLEY_EXPORTS: must be s3:/],
    ['PARLEY_ENCRYPTION_KEYS', '   ', /PARLEY_ENCRYPTION_KEYS: must be id:key/],
    ['PARLEY_ENCRYPTION_KEYS', `a:${KEY} b:${KEY}`, /PARLEY_ENCRYPTION_KEYS: two ids have the same key/],
    ['PARLEY_RETENTION', '1s', /PARLEY_RETENTION: .*from 1 day/],
    ['PARLEY_RETENTION', 'long', /PARLEY_RETENTION: .*30d.*from 1 day/],
  ])('reports in words what is wrong with %s=%s', (name, value, expectedMessage) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(expectedMessage);
    expect(() => readConfig({ [name]: value })).not.toThrow(KEY);
  });

  it('sends traces only where it is configured to', () => {
    const endpointEnv = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/' };
    expect(readConfig({}).tracing).toBeUndefined();
    expect(readConfig({ ...endpointEnv, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBeUndefined();
    expect(readConfig({ ...endpointEnv, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%3Db, y=2' }).tracing).toEqual({
      url: 'http://otel:4318/v1/traces',
      headers: { 'x-key': 'a=b', y: '2' },
      service: 'parley',
      sampleRatio: 1,
    });
    expect(readConfig({ OTEL_TRACES_EXPORTER: 'otlp' }).tracing?.url).toBe('http://localhost:4318/v1/traces');
  });

  it('parses locations and times', () => {
    const env = { PARLEY_STORAGE: 'file:///tmp/a%25zz', PARLEY_RETENTION: '72h' };
    expect(readConfig(env)).toMatchObject({
      storage: { kind: 'folder', path: '/tmp/a%zz' },
      temporal: { retentionMs: 3 * 86_400_000 },
    });
  });
});
