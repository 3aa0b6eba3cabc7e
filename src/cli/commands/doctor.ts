import type { CommandContext, CommandHandler, ConnectionSettings } from '#cli/context';
import { EXIT, exitCodeForError, suggestNextStep } from '#cli/errors';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { ParleyError } from '#client/parley-error';
import type { Scope, Session } from '#contract/permissions';
import type { ServerStatus } from '#contract/responses';
import { isLoopbackUrl } from '#infra/loopback';
import { readPackageVersion } from '#infra/package-info';

/** The result of one check, as `parley doctor --json` prints it. */
export interface DoctorCheck {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  said: string;
  /** How to fix the problem, if there is one. */
  next?: string;
}

const passed = (name: string, said: string): DoctorCheck => ({ name, state: 'ok', said });
const warned = (name: string, said: string, next: string): DoctorCheck => ({ name, state: 'warn', said, next });
const failed = (name: string, said: string, next: string): DoctorCheck => ({ name, state: 'fail', said, next });

export const runDoctor: CommandHandler = async ({ parley, settings, terminal, isJson }) => {
  const checks = [checkAddress(settings)];
  const session = await callOrError((signal) => parley.session({ signal }));
  if (session instanceof ParleyError) checks.push(explainError(session, settings));
  else {
    const status = await callOrError((signal) => parley.status({ signal }));
    checks.push(checkAccess(session, settings));
    checks.push(...(status instanceof ParleyError ? explainStatusError(status) : checkServerStatus(status, settings)));
  }
  const isOk = checks.every(({ state }) => state !== 'fail');
  if (isJson) terminal.printJson({ ok: isOk, checks });
  else terminal.print(...checks.flatMap((check) => renderCheck(check, terminal)), '', summarizeChecks(checks));
  if (isOk) return EXIT.completed;
  return session instanceof ParleyError ? exitCodeForError(session) : EXIT.failed;
};

const TIMEOUT_MS = 5_000;

/** Returns an error of the server or the network instead of throwing it. */
async function callOrError<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | ParleyError> {
  try {
    return await call(AbortSignal.timeout(TIMEOUT_MS));
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return new ParleyError('network', 'No response in time.');
    if (!(error instanceof ParleyError)) throw error;
    return error;
  }
}

export function checkAddress({ url, urlSource, key }: ConnectionSettings): DoctorCheck {
  const address = `${url} (${urlSource})`;
  return new URL(url).protocol === 'http:' && key && !isLoopbackUrl(url)
    ? warned('Address', `${address}: your key is sent unencrypted`, 'Use https:// to reach Parley over a network.')
    : passed('Address', address);
}

const RETRY_HINT = 'Try again in a moment. Check the address, proxies and the network.';

/** Explains why the server did not say whose key it is: it is unreachable, or refuses the key. */
function explainError(error: ParleyError, settings: ConnectionSettings): DoctorCheck {
  const { code, message, problem } = error;
  const next = suggestNextStep(code, settings) ?? RETRY_HINT;
  if (code === 'unauthenticated' && problem) return failed('Access', 'Parley requires a valid key.', next);
  return failed(code === 'unauthenticated' ? 'Access' : 'Server', message, next);
}

/** A 404 comes from a server too old to have a status. */
function explainStatusError({ status, message }: ParleyError): DoctorCheck[] {
  const said = 'The server is older than this client and reports no status';
  return [
    status === 404
      ? warned('Version', said, 'Use a client of the same version.')
      : failed('Status', message, RETRY_HINT),
  ];
}

const SCOPES: Scope[] = ['conversations:write', 'conversations:read', 'questions:answer'];

/** Reports the key's principal and missing scopes. */
function checkAccess({ name, scopes }: Session, { key }: ConnectionSettings): DoctorCheck {
  if (name === null) return passed('Access', `No key required; full access${key ? ' (your key is ignored)' : ''}`);
  if (scopes.includes('admin')) return passed('Access', `You are ${name}; full access`);
  const said = `You are ${name}: ${scopes.join(', ')}`;
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return passed('Access', said);
  const next = `If you need more, ask your administrator for a key with ${missing.join(', ')}.`;
  return warned('Access', `${said}; not ${missing.join(', ')}`, next);
}

/** Checks what the server reports about itself. */
export function checkServerStatus(
  status: ServerStatus,
  { url }: ConnectionSettings,
  version = readPackageVersion(),
): DoctorCheck[] {
  return [
    checkVersion(status.version, version),
    status.temporal.reachable
      ? passed('Temporal', 'Reachable')
      : failed('Temporal', "Parley can't reach Temporal", 'Ask your administrator to check TEMPORAL_ADDRESS.'),
    checkWorkers(status),
    status.agents === 0
      ? failed('Agents', 'No agents', 'Write one: see docs/guides/agents.md.')
      : passed('Agents', `${status.agents} ${status.agents === 1 ? 'agent' : 'agents'}`),
    checkChannels(status),
    ...checkLinks(status, url),
  ];
}

/** Compares minor versions, because before 1.0 a minor version may change anything. */
function checkVersion(serverVersion: string, clientVersion: string): DoctorCheck {
  const minorVersion = (version: string) => version.split('.', 2).join('.');
  const said = `Server ${serverVersion}, client ${clientVersion}`;
  return minorVersion(serverVersion) === minorVersion(clientVersion)
    ? passed('Version', said)
    : warned('Version', said, 'Use a client of the same version: newer features may not work.');
}

function checkWorkers({ workers: count }: ServerStatus): DoctorCheck {
  if (count === null)
    return warned('Workers', 'Unknown', 'If conversations are stuck, check that `npm run worker` is running.');
  if (count > 0) return passed('Workers', `${count} active ${count === 1 ? 'worker' : 'workers'}`);
  const said = 'No active worker: conversations wait; answers are saved';
  return failed('Workers', said, 'Start one with `npm run worker`. (`npm start` includes one.)');
}

function checkChannels({ channels, channelLabels }: ServerStatus): DoctorCheck {
  const labelsOf = (isConfigured: boolean) =>
    Object.keys(channels)
      .filter((name) => channels[name] === isConfigured)
      .map((name) => channelLabels[name] ?? name);
  const missing = labelsOf(false);
  const missingNote = missing.length > 0 ? ` (not set up: ${missing.join(', ')})` : '';
  return passed('Channels', `${['Inbox', ...labelsOf(true)].join(', ')}${missingNote}`);
}

/** Warns about a loopback URL, because links to it do not work on other machines. */
function checkLinks({ publicUrl }: ServerStatus, url: string): DoctorCheck[] {
  if (!isLoopbackUrl(publicUrl) || isLoopbackUrl(url)) return [];
  const said = `Links start with ${publicUrl}, which doesn't work from here`;
  return [warned('Links', said, 'Ask your administrator to set PARLEY_PUBLIC_URL.')];
}

const STATE_SIGNS = { ok: ['✓', 'good'], warn: ['!', 'warn'], fail: ['✗', 'bad'] } as const;
const NAME_WIDTH = 10;

function renderCheck({ name, state, said, next = '' }: DoctorCheck, { style, width }: CommandContext['terminal']) {
  const [sign, tone] = STATE_SIGNS[state];
  const indent = ' '.repeat(NAME_WIDTH + 2);
  const first = `${style[tone](sign)} ${style.bold(name.padEnd(NAME_WIDTH))}`;
  return [
    ...wrapText(sanitizeLine(said), width(), { first, rest: indent }),
    ...(next ? wrapText(sanitizeLine(next), width(), { first: `${indent}→ `, rest: `${indent}  ` }) : []),
  ];
}

function summarizeChecks(checks: DoctorCheck[]): string {
  const count = (counted: DoctorCheck['state']) => checks.filter(({ state }) => state === counted).length;
  const [failures, warnings] = [count('fail'), count('warn')];
  if (failures > 0) return `${failures} ${failures === 1 ? 'problem' : 'problems'} found.`;
  return warnings > 0 ? 'Working, with warnings (!).' : 'Everything looks good.';
}
