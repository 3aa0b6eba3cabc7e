import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';

describe('a unit test', () => {
  it.each([
    ['listen on a port', () => createServer().listen(0)],
    ['open a connection', () => connect(1, '127.0.0.1')],
    ['start a process', () => spawn('true')],
  ])('must not %s', (what, attempt) => {
    expect(attempt).toThrow(`A unit test must not ${what}. Move it to test/integration or test/e2e.`);
  });
});
