import { EXIT } from './errors';
import { runCommandLine } from './program';

/** Whoever read has read enough: `parley list | head -1`. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.completed);
  process.stderr.write(`parley: What was asked for cannot be written (${error.code}). Nothing else was lost.\n`);
  process.exit(EXIT.failed);
});

const whenIdle = (tell: () => void) => void process.once('beforeExit', tell);

void runCommandLine(process.argv.slice(2), process, whenIdle).then((code) => {
  // Once what was written is out: a pipe may be slower than we are. What could not be written is told above.
  process.stdout.write('', (error) => {
    if (!error) process.exit(code);
  });
});
