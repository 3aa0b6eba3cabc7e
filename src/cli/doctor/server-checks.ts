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
  if (probe.kind === 'unreachable')
    return failedCheck('Server', `It cannot be reached: ${probe.reason}.`, NEXT_STEPS[urlSource]);
  if (hasHealthStatus(probe.body, 'ok') && probe.status === 200)
    return probe.durationMs > SLOW_MS
      ? warningCheck(
          'Server',
          `It answers, but took ${probe.durationMs} ms.`,
          'Look at what stands between here and there.',
        )
      : passedCheck('Server', `It answers in ${probe.durationMs} ms.`);
  return failedCheck(
    'Server',
    `Something answers ${probe.status} and ${probe.type} at ${probe.url}, but not as Parley does.`,
    'A proxy or a page to sign in on may stand in between, or the address is that of something else.',
  );
}

const NEXT_STEPS: Record<ConnectionSettings['urlSource'], string> = {
  '--url': 'Check --url, and that Parley is running there.',
  PARLEY_URL: 'Check PARLEY_URL, and that Parley is running there.',
  PORT: 'PORT is taken for the port of Parley here: start it with `npm start`, or set PARLEY_URL to where it is.',
  default: 'Start it with `npm start`, or set PARLEY_URL to where it is.',
};

export function checkReadiness(probe: ProbeResult): DoctorCheck {
  if (probe.kind === 'unreachable')
    return failedCheck('Temporal', `Nobody can tell: ${probe.reason}.`, 'Look again in a moment.');
  if (hasHealthStatus(probe.body, 'ready')) return passedCheck('Temporal', 'It answers.');
  const { detail = `Parley says ${probe.status} and nothing more.` } = (probe.body ?? {}) as {
    detail?: string;
  };
  return failedCheck(
    'Temporal',
    detail,
    'Whoever runs Parley looks at Temporal, and at TEMPORAL_ADDRESS. Nothing is lost meanwhile.',
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
          `It differs from the server's by ${skewSeconds} s.`,
          'Deadlines are shown wrong: set the clock of this machine.',
        ),
      ]
    : [passedCheck('Clock', 'It agrees with that of the server.')];
}

function hasHealthStatus(body: unknown, status: string): boolean {
  return (body as { status?: unknown } | undefined)?.status === status;
}

const SCOPE_LABELS: Record<string, string> = {
  'conversations:read': 'read conversations',
  'conversations:write': 'start, say or cancel',
  'questions:answer': 'answer questions',
};

/** Reports the key's principal and missing scopes. */
export function checkAccess({ name, scopes }: Session, { key }: ConnectionSettings): DoctorCheck {
  if (name === null)
    return passedCheck(
      'Access',
      `No key is needed here, and you may do everything.${key ? ' Yours is not looked at.' : ''}`,
    );
  if (scopes.includes('admin')) return passedCheck('Access', `You are ${name}, and may do everything.`);
  const missing = Object.keys(SCOPE_LABELS).filter((scope) => !scopes.some((granted) => granted === scope));
  if (missing.length === 0) return passedCheck('Access', `You are ${name}: ${scopes.join(', ')}.`);
  return warningCheck(
    'Access',
    `You are ${name}: ${scopes.join(', ')}. You may not ${missing.map((scope) => SCOPE_LABELS[scope]).join(', nor ')}.`,
    `If you need to, ask whoever runs Parley for a key with ${missing.join(', ')}.`,
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
  return minorVersion(serverVersion) === minorVersion(clientVersion)
    ? passedCheck('Version', `${serverVersion} there, ${clientVersion} here.`)
    : warningCheck(
        'Version',
        `${serverVersion} there, ${clientVersion} here.`,
        'Use the client of the same version: what is new may not work.',
      );
}

function checkWorkers({ workers: count, temporal }: ServerStatus): DoctorCheck {
  if (count === null) {
    const reason = temporal.reachable ? 'Temporal does not tell' : 'Temporal does not answer';
    return warningCheck(
      'Workers',
      `${reason} whether one is up.`,
      'If conversations do not move, see that `npm run worker` runs.',
    );
  }
  if (count === 0)
    return failedCheck(
      'Workers',
      'None asked for work within the last minutes: conversations wait, and answers are kept.',
      'Start one: npm run worker. (`npm start` has one of its own.)',
    );
  return passedCheck('Workers', `${count === 1 ? 'One' : count} asked for work within the last minutes.`);
}

function checkAgents({ agents: count }: ServerStatus): DoctorCheck {
  if (count === 0) return failedCheck('Agents', 'There are none.', 'Write one: docs/guides/agents.md says how.');
  return passedCheck('Agents', count === 1 ? 'There is one.' : `There are ${count}.`);
}

function checkChannels({ channels, channelLabels }: ServerStatus): DoctorCheck {
  const labelsOf = (isConfigured: boolean) =>
    Object.keys(channels)
      .filter((name) => channels[name] === isConfigured)
      .map((name) => channelLabels[name] ?? name);
  const missing = labelsOf(false);
  const missingNote = missing.length > 0 ? ` Not set up: ${missing.join(', ')}.` : '';
  return passedCheck('Channels', `People are reached by the inbox, ${labelsOf(true).join(', ')}.${missingNote}`);
}

/** Warns about a loopback URL, because links to it do not work on other machines. */
function checkPublicUrl({ publicUrl }: ServerStatus, { url }: ConnectionSettings): DoctorCheck[] {
  if (!isLoopbackUrl(publicUrl) || isLoopbackUrl(url)) return [];
  return [
    warningCheck(
      'Links',
      `They begin with ${publicUrl}, which leads nowhere from here.`,
      'Whoever runs Parley sets PARLEY_PUBLIC_URL to its address.',
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
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing readable';
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
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network',
  ECONNRESET: 'it hung up',
  UND_ERR_SOCKET: 'it hung up',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak https: try http://',
};

function describeNetworkError(error: unknown): string {
  if (isProbeTimeout(error)) return 'it does not answer';
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const code = cause?.code ?? '';
  return NETWORK_ERROR_REASONS[code] ?? (code || cause?.message || message);
}
