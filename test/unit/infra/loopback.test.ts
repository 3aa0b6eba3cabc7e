import { isLoopbackHost, isLoopbackUrl } from '#infra/loopback';

describe('this machine', () => {
  it.each(['localhost', 'localhost:3000', '127.0.0.1', '127.8.9.10:7233', '::1', '[::1]', '[::1]:80'])(
    'is %s',
    (host) => {
      expect(isLoopbackHost(host)).toBe(true);
    },
  );

  it.each(['', 'localhost.example.org', '127.0.0.1.example.org', '10.0.0.1', '::1:80', '::', '0.0.0.0'])(
    'is not %j',
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );

  it.each([
    ['http://LOCALHOST:3000/a', true],
    ['http://127.1/', true],
    ['http://[::1]:80', true],
    ['https://localhost@example.org', false],
    ['localhost', false],
  ])('is the host of the URL %s: %s', (url, expected) => {
    expect(isLoopbackUrl(url)).toBe(expected);
  });
});
