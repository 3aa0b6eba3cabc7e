import { EXIT } from './errors';
import { runCommandLine } from './program';

/** Handles a reader that closed the pipe, as in `parley list | head -1`, and other write errors. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.completed);
  process.stderr.write(`parley: Can't write the output (${error.code}). Nothing else was lost.\n`);
  process.exit(EXIT.failed);
});

const onIdle = (callback: () => void) => void process.once('beforeExit', callback);

void runCommandLine(process.argv.slice(2), process, onIdle).then((code) => {
  // Exits once all output is flushed, because a pipe may be slow. The handler above reports write errors.
  process.stdout.write('', (error) => {
    if (!error) process.exit(code);
  });
});
