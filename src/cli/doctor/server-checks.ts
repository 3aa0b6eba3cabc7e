import type { ConnectionSettings } from '#cli/context';
import type { Session } from '#contract/permissions';
import type { ServerStatus } from '#contract/responses';
import { isLoopbackUrl } from '#infra/loopback';
import { type DoctorCheck, failedCheck, passedCheck, warningCheck } from './local-checks';

type ProbeResponse = Extract<ProbeResult, { kind: 'response' }>;

const SLOW_MS = 1_000;
/** Deadlines are displayed by this machine's clock. */
const MAX_CLOCK_SKEW_MS = 30_000;

/** Checks that the server is reachable and is Parley. */
export function checkHealth(probe: ProbeResult, { urlSource }: ConnectionSettings): DoctorCheck {
  if (probe.kind === 'unreachable') return failedCheck('Server', `Unreachable: ${probe.reason}`, NEXT_STEPS[urlSource]);
  if (hasHealthStatus(probe.body, 'ok') && probe.status === 200)
    return probe.durationMs > SLOW_MS
      ? warningCheck('Server', `Reachable, but slow (${probe.durationMs} ms)`, 'Check proxies and the network.')
      : passedCheck('Server', `Reachable (${probe.durationMs} ms)`);
  const { detail } = (probe.body ?? {}) as { detail?: unknown };
  if (probe.status === 503 && typeof detail === 'string')
    return failedCheck('Server', detail, 'Try again in a moment.');
  return failedCheck(
    'Server',
    `Not Parley: ${probe.url} responds with ${probe.status} and ${probe.type}`,
    'Check the address. A proxy or sign-in page may be in between.',
  );
}

const NEXT_STEPS: Record<ConnectionSettings['urlSource'], string> = {
  '--url': 'Check --url and that Parley is running there.',
  PARLEY_URL: 'Check PARLEY_URL and that Parley is running there.',
  PORT: 'The address comes from PORT. Start Parley with `npm start`, or set PARLEY_URL.',
  default: 'Start Parley with `npm start`, or set PARLEY_URL.',
};

export function checkReadiness(probe: ProbeResult): DoctorCheck {
  if (probe.kind === 'unreachable')
    return failedCheck('Temporal', `Unknown: ${probe.reason}`, 'Try again in a moment.');
  if (hasHealthStatus(probe.body, 'ready')) return passedCheck('Temporal', 'Reachable');
  const { detail = `Unknown: Parley responds with ${probe.status}` } = (probe.body ?? {}) as {
    detail?: string;
  };
  return failedCheck(
    'Temporal',
    detail,
    'Ask your administrator to check Temporal and TEMPORAL_ADDRESS. Nothing is lost in the meantime.',
  );
}

export function checkClock({ date, durationMs }: ProbeResponse, now: number): DoctorCheck[] {
  const serverTime = Date.parse(date ?? '');
  if (Number.isNaN(serverTime)) return [];
  const skewSeconds = Math.round(Math.abs(now - durationMs / 2 - serverTime) / 1_000);
  return skewSeconds * 1_000 > MAX_CLOCK_SKEW_MS
    ? [
        warningCheck(
          'Clock',
          `Differs from server by ${skewSeconds} s`,
          'Deadlines are shown wrong. Set the clock of this machine.',
        ),
      ]
    : [passedCheck('Clock', 'In sync with server')];
}

function hasHealthStatus(body: unknown, status: string): boolean {
  return (body as { status?: unknown } | undefined)?.status === status;
}

const SCOPE_LABELS: Record<string, string> = {
  'conversations:read': 'read conversations',
  'conversations:write': 'start, message or cancel conversations',
  'questions:answer': 'answer questions',
};

/** Reports the key's principal and missing scopes. */
export function checkAccess({ name, scopes }: Session, { key }: ConnectionSettings): DoctorCheck {
  if (name === null) return passedCheck('Access', `No key required; full access${key ? ' (your key is ignored)' : ''}`);
  if (scopes.includes('admin')) return passedCheck('Access', `You are ${name}; full access`);
  const missing = Object.keys(SCOPE_LABELS).filter((scope) => !scopes.some((granted) => granted === scope));
  if (missing.length === 0) return passedCheck('Access', `You are ${name}: ${scopes.join(', ')}`);
  return warningCheck(
    'Access',
    `You are ${name}: ${scopes.join(', ')}. You can't ${missing.map((scope) => SCOPE_LABELS[scope]).join(', or ')}`,
    `If you need to, ask your administrator for a key with ${missing.join(', ')}.`,
  );
}

/** Checks what the server reports about itself. */
export function checkServerStatus(status: ServerStatus, settings: ConnectionSettings, version: string): DoctorCheck[] {
  return [
    checkVersion(status.version, version),
    checkWorkers(status),
    checkAgents(status),
    checkChannels(status),
    ...checkPublicUrl(status, settings),
  ];
}

/** Compares minor versions, because before 1.0 a minor version may change anything. */
function checkVersion(serverVersion: string, clientVersion: string): DoctorCheck {
  const minorVersion = (version: string) => version.split('.', 2).join('.');
  const message = `Server ${serverVersion}, client ${clientVersion}`;
  return minorVersion(serverVersion) === minorVersion(clientVersion)
    ? passedCheck('Version', message)
    : warningCheck('Version', message, 'Use a client of the same version: newer features may not work.');
}

function checkWorkers({ workers: count, temporal }: ServerStatus): DoctorCheck {
  if (count === null) {
    const reason = temporal.reachable ? "Temporal doesn't report workers" : "can't reach Temporal";
    return warningCheck(
      'Workers',
      `Unknown: ${reason}`,
      'If conversations are stuck, check that `npm run worker` is running.',
    );
  }
  if (count === 0)
    return failedCheck(
      'Workers',
      'No active worker: conversations wait; answers are saved',
      'Start one with `npm run worker`. (`npm start` includes one.)',
    );
  return passedCheck('Workers', `${count} active ${count === 1 ? 'worker' : 'workers'}`);
}

function checkAgents({ agents: count }: ServerStatus): DoctorCheck {
  if (count === 0) return failedCheck('Agents', 'No agents', 'Write one: see docs/guides/agents.md.');
  return passedCheck('Agents', `${count} ${count === 1 ? 'agent' : 'agents'}`);
}

function checkChannels({ channels, channelLabels }: ServerStatus): DoctorCheck {
  const labelsOf = (isConfigured: boolean) =>
    Object.keys(channels)
      .filter((name) => channels[name] === isConfigured)
      .map((name) => channelLabels[name] ?? name);
  const missing = labelsOf(false);
  const missingNote = missing.length > 0 ? ` (not set up: ${missing.join(', ')})` : '';
  return passedCheck('Channels', `${['Inbox', ...labelsOf(true)].join(', ')}${missingNote}`);
}

/** Warns about a loopback URL, because links to it do not work on other machines. */
function checkPublicUrl({ publicUrl }: ServerStatus, { url }: ConnectionSettings): DoctorCheck[] {
  if (!isLoopbackUrl(publicUrl) || isLoopbackUrl(url)) return [];
  return [
    warningCheck(
      'Links',
      `Links start with ${publicUrl}, which doesn't work from here`,
      'Ask your administrator to set PARLEY_PUBLIC_URL.',
    ),
  ];
}

/** The response from an address, or why there was none. */
type ProbeResult =
  | { kind: 'unreachable'; reason: string }
  | {
      kind: 'response';
      status: number;
      type: string;
      body: unknown;
      date: string | null;
      durationMs: number;
      url: string;
    };

const PROBE_TIMEOUT_MS = 5_000;

/** Runs a request and aborts it after PROBE_TIMEOUT_MS. */
export async function withProbeTimeout<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  // Not AbortSignal.timeout, which does not keep the process alive: Node's fetch may never settle if the connection is
  // closed at once.
  const timer = setTimeout(() => abort.abort(new DOMException('', 'TimeoutError')), PROBE_TIMEOUT_MS);
  try {
    return await request(abort.signal);
  } finally {
    clearTimeout(timer);
  }
}

export function isProbeTimeout(error: unknown): boolean {
  return (error as Error).name === 'TimeoutError';
}

/** Sends one request without a key, which health and readiness checks do not need. */
export async function probeUrl(url: string): Promise<ProbeResult> {
  try {
    return await withProbeTimeout((signal) => fetchReply(url, signal));
  } catch (error) {
    return { kind: 'unreachable', reason: describeNetworkError(error) };
  }
}

async function fetchReply(url: string, signal: AbortSignal): Promise<ProbeResult> {
  const startedAt = performance.now();
  const response = await fetch(url, { signal });
  const durationMs = Math.round(performance.now() - startedAt);
  const { status, headers } = response;
  const type = headers.get('content-type')?.split(';')[0] ?? 'unknown content';
  const body = parseJsonIfValid(await response.text());
  return { kind: 'response', status, type, body, date: headers.get('date'), durationMs, url: response.url };
}

function parseJsonIfValid(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const NETWORK_ERROR_REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host name lookup failed',
  ETIMEDOUT: 'timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no network',
  ECONNRESET: 'connection closed',
  UND_ERR_SOCKET: 'connection closed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate not trusted',
  CERT_HAS_EXPIRED: 'certificate expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'not an https server: try http://',
};

function describeNetworkError(error: unknown): string {
  if (isProbeTimeout(error)) return 'timed out';
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const code = cause?.code ?? '';
  return NETWORK_ERROR_REASONS[code] ?? (code || cause?.message || message);
}
