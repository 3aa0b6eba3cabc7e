import type { CommandContext, CommandHandler } from '#cli/context';
import {
  checkAccess,
  checkAddress,
  checkClock,
  checkHealth,
  checkKey,
  checkReadiness,
  checkServerStatus,
  checkTerminal,
  type DoctorCheck,
  explainAccessError,
  explainStatusError,
  isSendableKey,
} from '#cli/doctor/checks';
import { callOrError, probeUrl } from '#cli/doctor/probe';
import { EXIT } from '#cli/errors';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapText } from '#cli/render/text';
import { ParleyError } from '#client/parley-error';
import { readPackageVersion } from '#infra/package-info';

export const runDoctor: CommandHandler = async (context) => {
  const { terminal, isJson } = context;
  const checks: DoctorCheck[] = [];
  const isRefused = await runDoctorChecks(context, checks);
  const isOk = checks.every(({ state }) => state !== 'fail');
  if (isJson) terminal.printJson({ ok: isOk, checks });
  else terminal.print(...checks.flatMap((check) => renderCheck(check, context)), '', summarizeChecks(checks));
  if (isRefused) return EXIT.refused;
  return isOk ? EXIT.completed : EXIT.failed;
};

/** Runs the checks in order, and stops when further ones would be meaningless. Returns whether the key is refused. */
async function runDoctorChecks(context: CommandContext, checks: DoctorCheck[]): Promise<boolean> {
  const { settings, terminal, env, parley } = context;
  checks.push({ name: 'Address', ...checkAddress(settings) });
  checks.push({ name: 'Key', ...checkKey(settings) });
  checks.push({ name: 'Terminal', ...checkTerminal(terminal, env) });
  const probe = await probeUrl(`${settings.url}/healthz`);
  const health = checkHealth(probe, settings);
  checks.push({ name: 'Server', ...health });
  if (probe.kind === 'unreachable' || health.state === 'fail') return false;
  const clock = checkClock(probe, Date.now());
  if (clock) checks.push({ name: 'Clock', ...clock });
  checks.push({ name: 'Temporal', ...checkReadiness(await probeUrl(`${settings.url}/readyz`)) });
  if (settings.key !== undefined && !isSendableKey(settings.key)) return true;
  const session = await callOrError((signal) => parley.session({ signal }));
  if (session instanceof ParleyError) {
    checks.push({ name: 'Access', ...explainAccessError(session, settings.key !== undefined) });
    return session.code === 'unauthenticated' || session.code === 'forbidden';
  }
  checks.push({ name: 'Access', ...checkAccess(session, settings) });
  const status = await callOrError((signal) => parley.status({ signal }));
  if (status instanceof ParleyError) checks.push(explainStatusError(status));
  else checks.push(...checkServerStatus(status, settings, readPackageVersion()));
  return false;
}

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
