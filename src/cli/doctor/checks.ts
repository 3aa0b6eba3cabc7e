import type { ConnectionSettings } from '#cli/context';
import { formatKeyHint } from '#cli/errors';
import type { Terminal } from '#cli/tty/terminal';
import type { ParleyError } from '#client/parley-error';
import type { Session } from '#contract/permissions';
import type { ServerStatus } from '#contract/responses';
import { isLoopbackUrl } from '#infra/loopback';
import type { ProbeResponse, ProbeResult } from './probe';

/** The result of one check, as `parley doctor --json` prints it. */
export interface DoctorCheck extends DoctorFinding {
  name: string;
}

interface DoctorFinding {
  state: 'ok' | 'warn' | 'fail';
  said: string;
  /** How to fix the problem, if there is one. */
  next?: string;
}

const passed = (said: string): DoctorFinding => ({ state: 'ok', said });
const warned = (said: string, next: string): DoctorFinding => ({ state: 'warn', said, next });
const failed = (said: string, next: string): DoctorFinding => ({ state: 'fail', said, next });

export function checkAddress({ url, urlSource, key }: ConnectionSettings): DoctorFinding {
  const address = `${url} (${urlSource})`;
  return new URL(url).protocol === 'http:' && key && !isLoopbackUrl(url)
    ? warned(`${address}: your key is sent unencrypted`, 'Use https:// to reach Parley over a network.')
    : passed(address);
}

const SHOWN_KEY_CHARACTERS = 10;
const LONG_KEY_LENGTH = 32;

/** Returns whether a key can be sent. Keys are ASCII without spaces; other characters come from a copying mistake. */
export function isSendableKey(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

export function checkKey({ key }: ConnectionSettings): DoctorFinding {
  if (key === undefined) return passed('PARLEY_API_KEY is not set');
  if (!isSendableKey(key) || /^["']|["']$/.test(key))
    return failed(
      'PARLEY_API_KEY contains quotes, spaces or other invalid characters',
      'Copy the key again, without anything around it.',
    );
  const start = key.length >= LONG_KEY_LENGTH ? ` (${key.slice(0, SHOWN_KEY_CHARACTERS)}…)` : '';
  const said = `PARLEY_API_KEY is set${start}`;
  if (key.startsWith('parley_')) return passed(said);
  const next = 'Parley keys start with parley_. `parley admin key` creates one.';
  return warned(`${said}, but is not a Parley key`, next);
}

const MIN_COLUMNS = 40;

export function checkTerminal({ isInteractive, width, style }: Terminal, env: NodeJS.ProcessEnv): DoctorFinding {
  if (!isInteractive)
    return passed('Not a terminal: prompts are line by line, without colors unless FORCE_COLOR is set');
  const said = `${width()} columns, ${style.isColored ? 'with' : 'without'} colors`;
  if (!isUtf8Locale(env))
    return warned(
      `${said}; the locale is not UTF-8, so some characters may not display`,
      'Set LANG to a UTF-8 locale, such as C.UTF-8.',
    );
  if (width() >= MIN_COLUMNS) return passed(said);
  return warned(`${said}; this is narrow`, `Make the window at least ${MIN_COLUMNS} columns wide.`);
}

function isUtf8Locale({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): boolean {
  return process.platform === 'win32' || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');
}

const SLOW_MS = 1_000;
/** Deadlines are displayed by this machine's clock. */
const MAX_CLOCK_SKEW_MS = 30_000;
const RETRY_HINT = 'Try again in a moment.';
const PROXY_HINT = 'Check the address, proxies and the network.';

/** Checks that the server is reachable and is Parley. */
export function checkHealth(probe: ProbeResult, { urlSource }: ConnectionSettings): DoctorFinding {
  if (probe.kind === 'unreachable') return failed(`Unreachable: ${probe.reason}`, UNREACHABLE_HINTS[urlSource]);
  const { status, body, durationMs, url, type } = probe;
  if (status === 200 && body.status === 'ok')
    return durationMs > SLOW_MS
      ? warned(`Reachable, but slow (${durationMs} ms)`, 'Check proxies and the network.')
      : passed(`Reachable (${durationMs} ms)`);
  if (status === 503 && body.detail) return failed(body.detail, RETRY_HINT);
  return failed(
    `Not Parley: ${url} responds with ${status} and ${type}`,
    'Check the address. A proxy or sign-in page may be in between.',
  );
}

const UNREACHABLE_HINTS: Record<ConnectionSettings['urlSource'], string> = {
  '--url': 'Check --url and that Parley is running there.',
  PARLEY_URL: 'Check PARLEY_URL and that Parley is running there.',
  PORT: 'The address comes from PORT. Start Parley with `npm start`, or set PARLEY_URL.',
  default: 'Start Parley with `npm start`, or set PARLEY_URL.',
};

export function checkReadiness(probe: ProbeResult): DoctorFinding {
  if (probe.kind === 'unreachable') return failed(`Unknown: ${probe.reason}`, RETRY_HINT);
  const { body, status } = probe;
  if (body.status === 'ready') return passed('Reachable');
  return failed(
    body.detail ?? `Unknown: Parley responds with ${status}`,
    'Ask your administrator to check Temporal and TEMPORAL_ADDRESS. Nothing is lost in the meantime.',
  );
}

/** Returns undefined if the server sends no time. */
export function checkClock({ date, durationMs }: ProbeResponse, now: number): DoctorFinding | undefined {
  const serverTime = Date.parse(date ?? '');
  if (Number.isNaN(serverTime)) return undefined;
  const skewMs = Math.abs(now - durationMs / 2 - serverTime);
  if (skewMs <= MAX_CLOCK_SKEW_MS) return passed('In sync with server');
  const said = `Differs from server by ${Math.round(skewMs / 1_000)} s`;
  return warned(said, 'Deadlines are shown wrong. Set the clock of this machine.');
}

const SCOPE_LABELS: Record<string, string> = {
  'conversations:read': 'read conversations',
  'conversations:write': 'start, message or cancel conversations',
  'questions:answer': 'answer questions',
};

/** Reports the key's principal and missing scopes. */
export function checkAccess({ name, scopes }: Session, { key }: ConnectionSettings): DoctorFinding {
  if (name === null) return passed(`No key required; full access${key ? ' (your key is ignored)' : ''}`);
  if (scopes.includes('admin')) return passed(`You are ${name}; full access`);
  const said = `You are ${name}: ${scopes.join(', ')}`;
  const missing = Object.keys(SCOPE_LABELS).filter((scope) => !scopes.some((granted) => granted === scope));
  if (missing.length === 0) return passed(said);
  return warned(
    `${said}. You can't ${missing.map((scope) => SCOPE_LABELS[scope]).join(', or ')}`,
    `If you need to, ask your administrator for a key with ${missing.join(', ')}.`,
  );
}

/** Explains why the server did not tell who the key belongs to. */
export function explainAccessError({ code, message }: ParleyError, hasKey: boolean): DoctorFinding {
  if (code !== 'unauthenticated') return failed(message, PROXY_HINT);
  return failed(hasKey ? 'The server rejected your key' : 'The server requires a key', formatKeyHint(hasKey));
}

/** Checks what the server reports about itself. */
export function checkServerStatus(status: ServerStatus, { url }: ConnectionSettings, version: string): DoctorCheck[] {
  const links = checkLinks(status, url);
  return [
    { name: 'Version', ...checkVersion(status.version, version) },
    { name: 'Workers', ...checkWorkers(status) },
    { name: 'Agents', ...checkAgents(status) },
    { name: 'Channels', ...checkChannels(status) },
    ...(links ? [{ name: 'Links', ...links }] : []),
  ];
}

/** Explains a failed status request. A 404 comes from a server too old to have this endpoint. */
export function explainStatusError({ status, message }: ParleyError): DoctorCheck {
  if (status !== 404) return { name: 'Status', ...failed(message, RETRY_HINT) };
  const said = 'The server is older than this client and reports no status';
  return { name: 'Version', ...warned(said, 'Use a client of the same version.') };
}

/** Compares minor versions, because before 1.0 a minor version may change anything. */
function checkVersion(serverVersion: string, clientVersion: string): DoctorFinding {
  const minorVersion = (version: string) => version.split('.', 2).join('.');
  const said = `Server ${serverVersion}, client ${clientVersion}`;
  return minorVersion(serverVersion) === minorVersion(clientVersion)
    ? passed(said)
    : warned(said, 'Use a client of the same version: newer features may not work.');
}

function checkWorkers({ workers: count, temporal }: ServerStatus): DoctorFinding {
  if (count === null) {
    const reason = temporal.reachable ? "Temporal doesn't report workers" : "can't reach Temporal";
    return warned(`Unknown: ${reason}`, 'If conversations are stuck, check that `npm run worker` is running.');
  }
  if (count > 0) return passed(`${count} active ${count === 1 ? 'worker' : 'workers'}`);
  return failed(
    'No active worker: conversations wait; answers are saved',
    'Start one with `npm run worker`. (`npm start` includes one.)',
  );
}

function checkAgents({ agents: count }: ServerStatus): DoctorFinding {
  if (count === 0) return failed('No agents', 'Write one: see docs/guides/agents.md.');
  return passed(`${count} ${count === 1 ? 'agent' : 'agents'}`);
}

function checkChannels({ channels, channelLabels }: ServerStatus): DoctorFinding {
  const labelsOf = (isConfigured: boolean) =>
    Object.keys(channels)
      .filter((name) => channels[name] === isConfigured)
      .map((name) => channelLabels[name] ?? name);
  const missing = labelsOf(false);
  const missingNote = missing.length > 0 ? ` (not set up: ${missing.join(', ')})` : '';
  return passed(`${['Inbox', ...labelsOf(true)].join(', ')}${missingNote}`);
}

/** Warns about a loopback URL, because links to it do not work on other machines. */
function checkLinks({ publicUrl }: ServerStatus, url: string): DoctorFinding | undefined {
  if (!isLoopbackUrl(publicUrl) || isLoopbackUrl(url)) return undefined;
  const said = `Links start with ${publicUrl}, which doesn't work from here`;
  return warned(said, 'Ask your administrator to set PARLEY_PUBLIC_URL.');
}
