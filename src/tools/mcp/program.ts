import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** How long a program may take to end by itself once its input has ended, and then once it was told to. */
const LEAVE_MS = 500;
const KILL_MS = 1_200;
const LAST_WORDS_LENGTH = 2_000;
const LAST_LINES = 5;

export interface ProgramSettings {
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
}

/** An MCP server that is a program of ours to start and to end. */
export class Program extends StdioClientTransport {
  private said = '';

  constructor(settings: ProgramSettings) {
    super({ ...settings, stderr: 'pipe' });
    this.stderr?.on('data', (chunk: Buffer) => {
      this.said = (this.said + chunk).slice(-LAST_WORDS_LENGTH);
    });
  }

  /** What it said last on its error output: mostly, why it ended. */
  lastWords(): string {
    return this.said.trim().split('\n').slice(-LAST_LINES).join('\n');
  }

  /** The official one waits 2 s before each step; a worker that stops has not got them. */
  override async close(): Promise<void> {
    const { pid } = this;
    const steps = [
      setTimeout(() => signal(pid, 'SIGTERM'), LEAVE_MS),
      setTimeout(() => signal(pid, 'SIGKILL'), KILL_MS),
    ];
    await super.close();
    for (const step of steps) clearTimeout(step);
  }
}

function signal(pid: number | null, name: NodeJS.Signals): void {
  try {
    if (pid !== null) process.kill(pid, name);
  } catch {
    // It has ended already.
  }
}
