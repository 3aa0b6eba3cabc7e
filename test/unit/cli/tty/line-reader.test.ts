import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { lineReaderFor } from '#cli/tty/line-reader';

describe('lines of an input', () => {
  it('end if another reader has read it to its end', async () => {
    const input = new PassThrough();
    input.end('a message');
    await text(input);
    const lines = lineReaderFor(input);
    expect([await lines.nextLine(), lines.isAtEnd()]).toEqual([undefined, true]);
  });

  it('end once it has failed, before or after a wait', async () => {
    const broken = new PassThrough();
    broken.on('error', () => undefined).destroy(new Error('gone'));
    expect(await lineReaderFor(broken).nextLine()).toBeUndefined();
    const breaking = new PassThrough();
    const next = lineReaderFor(breaking).nextLine();
    breaking.destroy(new Error('gone'));
    expect(await next).toBeUndefined();
  });

  it('leave no listener on the signal of each wait', async () => {
    const input = new PassThrough();
    const { signal } = new AbortController();
    for (const line of ['a', 'b', 'c']) {
      const next = lineReaderFor(input).nextLine(signal);
      input.write(`${line}\n`);
      expect([await next, getEventListeners(signal, 'abort')]).toEqual([line, []]);
    }
  });
});
