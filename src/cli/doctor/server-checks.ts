import type { ConnectionSettings } from '#cli/context';
import type { Session } from '#contract/permissions';
import type { ServerStatus } from '#contract/responses';
import { type DoctorCheck, failedCheck, isLoopbackUrl, passedCheck, warningCheck } from './local-checks';

type ProbeReply = Extract<ProbeResult, { kind: 'reply' }>;

const SLOW_MS = 1_000;
/** Deadlines are shown by the clock of this machine. */
const MAX_CLOCK_SKEW_MS = 30_000;

/** Is anything there, and is it Parley? */
export function checkHealth(reached: ProbeResult, { urlFrom }: ConnectionSettings): DoctorCheck {
  if (reached.kind === 'nothing')
    return failedCheck('Server', `It cannot be reached: ${reached.reason}.`, NEXT_STEPS[urlFrom]);
  if (hasHealthStatus(reached.body, 'ok') && reached.status === 200)
    return reached.ms > SLOW_MS
      ? warningCheck('Server', `It answers, but took ${reached.ms} ms.`, 'Look at what stands between here and there.')
      : passedCheck('Server', `It answers in ${reached.ms} ms.`);
  return failedCheck(
    'Server',
    `Something answers ${reached.status} and ${reached.type} at ${reached.at}, but not as Parley does.`,
    'A proxy or a page to sign in on may stand in between, or the address is that of something else.',
  );
}

const NEXT_STEPS: Record<ConnectionSettings['urlFrom'], string> = {
  '--url': 'Check --url, and that Parley is running there.',
  PARLEY_URL: 'Check PARLEY_URL, and that Parley is running there.',
  PORT: 'PORT is taken for the port of Parley here: start it with `npm start`, or set PARLEY_URL to where it is.',
  default: 'Start it with `npm start`, or set PARLEY_URL to where it is.',
};

export function checkReadiness(reached: ProbeResult): DoctorCheck {
  if (reached.kind === 'nothing')
    return failedCheck('Temporal', `Nobody can tell: ${reached.reason}.`, 'Look again in a moment.');
  if (hasHealthStatus(reached.body, 'ready')) return passedCheck('Temporal', 'It answers.');
  const { detail = `Parley says ${reached.status} and nothing more.` } = (reached.body ?? {}) as {
    detail?: string;
  };
  return failedCheck(
    'Temporal',
    detail,
    'Whoever runs Parley looks at Temporal, and at TEMPORAL_ADDRESS. Nothing is lost meanwhile.',
  );
}

export function checkClock({ date, ms }: ProbeReply, now: number): DoctorCheck[] {
  const there = Date.parse(date ?? '');
  if (Number.isNaN(there)) return [];
  const apart = Math.round(Math.abs(now - ms / 2 - there) / 1_000);
  return apart * 1_000 > MAX_CLOCK_SKEW_MS
    ? [
        warningCheck(
          'Clock',
          `It differs from the server's by ${apart} s.`,
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

/** Who the key stands for, and what it may not do. */
export function checkAccess({ name, scopes }: Session, { key }: ConnectionSettings): DoctorCheck {
  if (name === null)
    return passedCheck(
      'Access',
      `No key is needed here, and you may do everything.${key ? ' Yours is not looked at.' : ''}`,
    );
  if (scopes.includes('admin')) return passedCheck('Access', `You are ${name}, and may do everything.`);
  const missing = Object.keys(SCOPE_LABELS).filter((scope) => !scopes.some((one) => one === scope));
  if (missing.length === 0) return passedCheck('Access', `You are ${name}: ${scopes.join(', ')}.`);
  return warningCheck(
    'Access',
    `You are ${name}: ${scopes.join(', ')}. You may not ${missing.map((scope) => SCOPE_LABELS[scope]).join(', nor ')}.`,
    `If you need to, ask whoever runs Parley for a key with ${missing.join(', ')}.`,
  );
}

/** What the server says of itself. */
export function checkServerStatus(status: ServerStatus, settings: ConnectionSettings, version: string): DoctorCheck[] {
  return [
    checkVersion(status.version, version),
    checkWorkers(status),
    checkAgents(status),
    checkChannels(status),
    ...checkPublicUrl(status, settings),
  ];
}

/** Before 1.0 a minor version may change anything. */
function checkVersion(there: string, own: string): DoctorCheck {
  const line = (written: string) => written.split('.', 2).join('.');
  return line(there) === line(own)
    ? passedCheck('Version', `${there} there, ${own} here.`)
    : warningCheck(
        'Version',
        `${there} there, ${own} here.`,
        'Use the client of the same version: what is new may not work.',
      );
}

function checkWorkers({ workers: count, temporal }: ServerStatus): DoctorCheck {
  if (count === null) {
    const why = temporal.reachable ? 'Temporal does not tell' : 'Temporal does not answer';
    return warningCheck(
      'Workers',
      `${why} whether one is up.`,
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
  if (count === 0) return failedCheck('Agents', 'There are none.', 'Write one: docs/agents.md says how.');
  return passedCheck('Agents', count === 1 ? 'There is one.' : `There are ${count}.`);
}

const CHANNEL_LABELS = { slack: 'Slack', email: 'e-mail', webhook: 'webhooks' };

function checkChannels({ channels: there }: ServerStatus): DoctorCheck {
  const named = (isThere: boolean) =>
    (Object.keys(CHANNEL_LABELS) as (keyof typeof CHANNEL_LABELS)[])
      .filter((name) => there[name] === isThere)
      .map((name) => CHANNEL_LABELS[name]);
  const missing = named(false);
  const rest = missing.length > 0 ? ` Not set up: ${missing.join(', ')}.` : '';
  return passedCheck('Channels', `People are reached by the inbox, ${named(true).join(', ')}.${rest}`);
}

/** A link to "this machine" is no use to people elsewhere. */
function checkPublicUrl({ publicUrl }: ServerStatus, { url }: ConnectionSettings): DoctorCheck[] {
  if (!URL.canParse(publicUrl) || !isLoopbackUrl(publicUrl) || isLoopbackUrl(url)) return [];
  return [
    warningCheck(
      'Links',
      `They begin with ${publicUrl}, which leads nowhere from here.`,
      'Whoever runs Parley sets PARLEY_PUBLIC_URL to its address.',
    ),
  ];
}

/** What came back from an address, if anything did. */
type ProbeResult =
  | { kind: 'nothing'; reason: string }
  | {
      kind: 'reply';
      status: number;
      type: string;
      body: unknown;
      date: string | null;
      ms: number;
      at: string;
    };

const PROBE_TIMEOUT_MS = 5_000;

/** Waits so long for anything, and no longer. */
export async function withProbeTimeout<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const patience = new AbortController();
  // Not AbortSignal.timeout, which does not keep the process: Node's fetch may forget a connection that is closed at once.
  const timer = setTimeout(() => patience.abort(new DOMException('', 'TimeoutError')), PROBE_TIMEOUT_MS);
  try {
    return await ask(patience.signal);
  } finally {
    clearTimeout(timer);
  }
}

export function isProbeTimeout(error: unknown): boolean {
  return (error as Error).name === 'TimeoutError';
}

/** Asks once, and with no key: what is looked at here needs none. */
export async function probeUrl(url: string): Promise<ProbeResult> {
  try {
    return await withProbeTimeout((signal) => fetchReply(url, signal));
  } catch (error) {
    return { kind: 'nothing', reason: describeNetworkError(error) };
  }
}

async function fetchReply(url: string, signal: AbortSignal): Promise<ProbeResult> {
  const began = performance.now();
  const response = await fetch(url, { signal });
  const ms = Math.round(performance.now() - began);
  const { status, headers } = response;
  const type = headers.get('content-type')?.split(';')[0] ?? 'nothing readable';
  const body = parseJsonIfValid(await response.text());
  return { kind: 'reply', status, type, body, date: headers.get('date'), ms, at: response.url };
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
