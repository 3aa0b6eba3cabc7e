import { generateApiKey } from '#infra/crypto/api-keys';
import { startNodeProcess } from '#test/support/child-process';

it('reports in one line that it cannot listen on its address', async () => {
  const api = startNodeProcess('dist/src/api/main.js', {
    HOST: '192.0.2.1',
    PORT: '0',
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    PARLEY_API_KEYS: `me=admin=${generateApiKey().hash}`,
  });
  expect(await api.exited).toBe(1);
  expect(api.output()).toMatch(/Can't listen on HOST and PORT: .*192\.0\.2\.1/);
  expect(api.output()).not.toMatch(/^\s+at /m);
});
