import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ON_LINUX = process.platform === 'linux';

/**
 * Returns when a process started, as the system formats it; `undefined` if it does not exist. Pids are reused, so a
 * process is identified by pid and start time.
 */
export function readProcessStartTime(pid: number): string | undefined {
  if (process.platform === 'win32') return isProcessAlive(pid) ? 'alive' : undefined;
  const startTime = ON_LINUX ? readLinuxStartTime(pid) : runPs(['-o', 'lstart=', '-p', String(pid)]);
  return startTime?.trim().replaceAll(/[^A-Za-z0-9]+/g, '-') || undefined;
}

/** Finds Temporal servers on this database file in the process table, which is never stale. */
export function findServersOnDatabase(dbFilename: string): number[] {
  return ON_LINUX ? findServersInProc(dbFilename) : findServersByPs(dbFilename);
}

/** Reads field 22 of /proc/PID/stat, counted from the last `)`, as the program's name may contain spaces. */
function readLinuxStartTime(pid: number): string | undefined {
  const stat = readProcFile(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const hasExited = fields?.[0] === 'Z' || fields?.[0] === 'X';
  return hasExited ? undefined : fields?.[19];
}

function findServersInProc(dbFilename: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const args = readProcFile(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
      return args.includes('start-dev') && args[args.indexOf('--db-filename') + 1] === dbFilename;
    })
    .map(Number);
}

function findServersByPs(dbFilename: string): number[] {
  return (runPs(['-axww', '-o', 'pid=,command=']) ?? '')
    .split('\n')
    .filter((line) => line.includes(' server start-dev ') && line.includes(` --db-filename ${dbFilename} `))
    .map((line) => Number.parseInt(line, 10));
}

function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readProcFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process exited meanwhile.
    return undefined;
  }
}

function runPs(args: string[]): string | undefined {
  // Makes times independent of the user's language and time zone.
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
  try {
    return execFileSync('ps', args, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 1e8,
    });
  } catch {
    return undefined;
  }
}
