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
import { EXIT } from '#cli/errors';
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
  const rest = ' '.repeat(NAME_WIDTH + 2);
  const first = `${style[tone](sign)} ${style.bold(name.padEnd(NAME_WIDTH))}`;
  const lines = wrapText(sanitizeLine(said), terminal.width(), { first, rest });
  return next
    ? [...lines, ...wrapText(sanitizeLine(next), terminal.width(), { first: `${rest}→ `, rest: `${rest}  ` })]
    : lines;
}

function summarizeChecks(checks: DoctorCheck[]): string {
  const count = (wanted: DoctorCheck['state']) => checks.filter(({ state }) => state === wanted).length;
  const [wrong, odd] = [count('fail'), count('warn')];
  if (wrong > 0) return `${wrong === 1 ? 'One thing is' : `${wrong} things are`} wrong.`;
  return odd > 0 ? 'It works. Have a look at what is marked with !.' : 'All is well.';
}

export interface DoctorReport {
  checks: DoctorCheck[];
  /** The server will not have this key, or wants one. */
  isRefused: boolean;
}

/** Looks at one thing after the other, and no further than makes sense. */
async function runDoctorChecks(context: CommandContext): Promise<DoctorReport> {
  const { settings, terminal, env } = context;
  const checks = runLocalChecks(settings, terminal, env);
  const reached = await probeUrl(`${settings.url}/healthz`);
  const alive = checkHealth(reached, settings);
  checks.push(alive);
  if (reached.kind === 'nothing' || alive.state === 'fail') return { checks, isRefused: false };
  checks.push(...checkClock(reached, Date.now()), checkReadiness(await probeUrl(`${settings.url}/readyz`)));
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

async function callOrError<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | ParleyError> {
  try {
    return await withProbeTimeout(ask);
  } catch (error) {
    if (error instanceof ParleyError) return error;
    if (isProbeTimeout(error)) return new ParleyError('network', 'It does not answer.');
    throw error;
  }
}

function isAccessError({ code }: ParleyError): boolean {
  return code === 'unauthenticated' || code === 'forbidden';
}

function accessErrorCheck(error: ParleyError, hasKey: boolean): DoctorCheck {
  if (error.code === 'unauthenticated')
    return hasKey
      ? failedCheck(
          'Access',
          'The server does not know your key.',
          'Set PARLEY_API_KEY to one that is still good: whoever runs Parley makes one with `npm run key`.',
        )
      : failedCheck(
          'Access',
          'The server wants a key.',
          'Set PARLEY_API_KEY to yours: whoever runs Parley makes one with `npm run key`.',
        );
  return failedCheck('Access', error.message, 'Check that the address is that of Parley, and what stands in between.');
}

/** One from before there was a status. */
function statusErrorCheck(error: ParleyError): DoctorCheck {
  return error.status === 404
    ? warningCheck(
        'Version',
        'The server is older than this client, and tells nothing of itself.',
        'Use the client of the same version.',
      )
    : failedCheck('Status', error.message, 'Look again in a moment.');
}
