import type { ReadStream } from 'node:tty';

const CTRL_C = '\u0003';
const ENTER = /[\r\n]/;

/** Listens for the two keys there are while one looks on; the others are not to be seen. Gives back how to stop. */
export function listenForKeys(input: ReadStream, on: { enter(): void; leave(): void }): () => void {
  const hear = (typed: Buffer) => {
    const text = typed.toString();
    if (text.includes(CTRL_C)) on.leave();
    else if (ENTER.test(text)) on.enter();
  };
  input.setRawMode(true);
  input.on('data', hear);
  input.resume();
  return () => {
    input.off('data', hear);
    input.pause();
    input.setRawMode(false);
  };
}
