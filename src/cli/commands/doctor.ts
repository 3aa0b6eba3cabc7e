import type { CommandContext, CommandHandler } from '#cli/context';
import { type DoctorCheck, failedCheck, isSendableKey, runLocalChecks, warningCheck } from '#cli/doctor/local-checks';
import {
  checkAccess,
  checkClock,
  checkHealth,
  checkReadiness,
  checkServerStatus,
  isProbeTimeout,
  probeUrl,
  withProbeTimeout,
} from '#cli/doctor/server-checks';
import { EXIT, formatKeyHint } from '#cli/errors';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { ParleyError } from '#client/parley-error';
import { readPackageVersion } from '#infra/package-info';

export const runDoctor: CommandHandler = async (context) => {
  const { terminal, isJson } = context;
  const { checks, isRefused } = await runDoctorChecks(context);
  const isOk = checks.every(({ state }) => state !== 'fail');
  if (isJson) terminal.printJson({ ok: isOk, checks });
  else terminal.print(...checks.flatMap((check) => renderCheck(check, context)), '', summarizeChecks(checks));
  if (isRefused) return EXIT.refused;
  return isOk ? EXIT.completed : EXIT.failed;
};

const STATE_SIGNS = { ok: ['✓', 'good'], warn: ['!', 'warn'], fail: ['✗', 'bad'] } as const;
const NAME_WIDTH = 10;

function renderCheck({ name, state, said, next }: DoctorCheck, { terminal }: CommandContext): string[] {
  const [sign, tone] = STATE_SIGNS[state];
  const { style } = terminal;
  const indent = ' '.repeat(NAME_WIDTH + 2);
  const first = `${style[tone](sign)} ${style.bold(name.padEnd(NAME_WIDTH))}`;
  const lines = wrapText(sanitizeLine(said), terminal.width(), { first, rest: indent });
  return next
    ? [...lines, ...wrapText(sanitizeLine(next), terminal.width(), { first: `${indent}→ `, rest: `${indent}  ` })]
    : lines;
}

function summarizeChecks(checks: DoctorCheck[]): string {
  const count = (counted: DoctorCheck['state']) => checks.filter(({ state }) => state === counted).length;
  const [failures, warnings] = [count('fail'), count('warn')];
  if (failures > 0) return `${failures} ${failures === 1 ? 'problem' : 'problems'} found.`;
  return warnings > 0 ? 'Working, with warnings (!).' : 'Everything looks good.';
}

export interface DoctorReport {
  checks: DoctorCheck[];
  /** The server rejects this key, or requires one. */
  isRefused: boolean;
}

/** Runs the checks in order and stops when further checks would be meaningless. */
async function runDoctorChecks(context: CommandContext): Promise<DoctorReport> {
  const { settings, terminal, env } = context;
  const checks = runLocalChecks(settings, terminal, env);
  const probe = await probeUrl(`${settings.url}/healthz`);
  const health = checkHealth(probe, settings);
  checks.push(health);
  if (probe.kind === 'unreachable' || health.state === 'fail') return { checks, isRefused: false };
  checks.push(...checkClock(probe, Date.now()), checkReadiness(await probeUrl(`${settings.url}/readyz`)));
  if (settings.key !== undefined && !isSendableKey(settings.key)) return { checks, isRefused: true };
  return runAuthenticatedChecks(context, checks);
}

async function runAuthenticatedChecks(
  { parley, settings }: CommandContext,
  checks: DoctorCheck[],
): Promise<DoctorReport> {
  const session = await callOrError((signal) => parley.session({ signal }));
  if (session instanceof ParleyError) {
    checks.push(accessErrorCheck(session, settings.key !== undefined));
    return { checks, isRefused: isAccessError(session) };
  }
  checks.push(checkAccess(session, settings));
  const status = await callOrError((signal) => parley.status({ signal }));
  if (status instanceof ParleyError) checks.push(statusErrorCheck(status));
  else checks.push(...checkServerStatus(status, settings, readPackageVersion()));
  return { checks, isRefused: false };
}

async function callOrError<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T | ParleyError> {
  try {
    return await withProbeTimeout(call);
  } catch (error) {
    if (error instanceof ParleyError) return error;
    if (isProbeTimeout(error)) return new ParleyError('network', 'No response in time.');
    throw error;
  }
}

function isAccessError({ code }: ParleyError): boolean {
  return code === 'unauthenticated' || code === 'forbidden';
}

function accessErrorCheck(error: ParleyError, hasKey: boolean): DoctorCheck {
  if (error.code === 'unauthenticated')
    return failedCheck(
      'Access',
      hasKey ? 'The server rejected your key' : 'The server requires a key',
      formatKeyHint(hasKey),
    );
  return failedCheck('Access', error.message, 'Check the address, proxies and the network.');
}

/** Explains a failed status request. A 404 comes from a server too old to have this endpoint. */
function statusErrorCheck(error: ParleyError): DoctorCheck {
  return error.status === 404
    ? warningCheck(
        'Version',
        'The server is older than this client and reports no status',
        'Use a client of the same version.',
      )
    : failedCheck('Status', error.message, 'Try again in a moment.');
}
