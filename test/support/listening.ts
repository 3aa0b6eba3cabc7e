import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Listening {
  host: string;
  port: number;
}

/** Where a process listens, as the system knows it. */
export function listeningOf(pid: number): Listening[] {
  return process.platform === 'linux' ? inProc(pid) : byLsof(pid);
}

const LISTENS = '0A';

function inProc(pid: number): Listening[] {
  const folder = `/proc/${pid}/fd`;
  const sockets = new Set(readdirSync(folder).map((fd) => readlinkSync(`${folder}/${fd}`)));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENS && sockets.has(`socket:[${inode}]`))
      .map(([, local = '']) => local.split(':'))
      .map(([address = '', port = '']) => ({ host: hostOf(address), port: Number.parseInt(port, 16) })),
  );
}

/** Four bytes, the last first; an address of the other kind as it is. */
function hostOf(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  return bytes.length === 4
    ? bytes
        .reverse()
        .map((byte) => Number.parseInt(byte, 16))
        .join('.')
    : hex;
}

function byLsof(pid: number): Listening[] {
  const said = execFileSync('lsof', ['-nP', '-a', '-p', String(pid), '-iTCP', '-sTCP:LISTEN', '-Fn']);
  return [...said.toString().matchAll(/^n(.*):(\d+)$/gm)].map(([, host = '', port]) => ({
    host,
    port: Number(port),
  }));
}
