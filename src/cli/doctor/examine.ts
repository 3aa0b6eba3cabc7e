import type { Context } from '#cli/context';
import { ParleyError } from '#client/parley-error';
import { projectVersion } from '#project';
import { clock, health, readiness } from './answers';
import { type Check, fail, warn } from './check';
import { here, isSendable } from './here';
import { inTime, isOutOfTime, reach } from './reach';
import { access, standing } from './standing';

export interface Findings {
  checks: Check[];
  /** The server will not have this key, or wants one. */
  isRefused: boolean;
}

/** Looks at one thing after the other, and no further than makes sense. */
export async function examine(context: Context): Promise<Findings> {
  const { settings, terminal, env } = context;
  const checks = here(settings, terminal, env);
  const reached = await reach(`${settings.url}/healthz`);
  const alive = health(reached, settings);
  checks.push(alive);
  if (reached.kind === 'nothing' || alive.state === 'fail') return { checks, isRefused: false };
  checks.push(...clock(reached, Date.now()), readiness(await reach(`${settings.url}/readyz`)));
  if (settings.key !== undefined && !isSendable(settings.key)) return { checks, isRefused: true };
  return inside(context, checks);
}

async function inside({ parley, settings }: Context, checks: Check[]): Promise<Findings> {
  const session = await told((signal) => parley.session({ signal }));
  if (session instanceof ParleyError) {
    checks.push(refusal(session, settings.key !== undefined));
    return { checks, isRefused: isRefusal(session) };
  }
  checks.push(access(session, settings));
  const status = await told((signal) => parley.status({ signal }));
  if (status instanceof ParleyError) checks.push(untold(status));
  else checks.push(...standing(status, settings, projectVersion()));
  return { checks, isRefused: false };
}

async function told<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | ParleyError> {
  try {
    return await inTime(ask);
  } catch (error) {
    if (error instanceof ParleyError) return error;
    if (isOutOfTime(error)) return new ParleyError('network', 'It does not answer.');
    throw error;
  }
}

function isRefusal({ code }: ParleyError): boolean {
  return code === 'unauthenticated' || code === 'forbidden';
}

function refusal(error: ParleyError, hasKey: boolean): Check {
  if (error.code === 'unauthenticated')
    return hasKey
      ? fail(
          'Access',
          'The server does not know your key.',
          'Set PARLEY_API_KEY to one that is still good: whoever runs Parley makes one with `npm run key`.',
        )
      : fail(
          'Access',
          'The server wants a key.',
          'Set PARLEY_API_KEY to yours: whoever runs Parley makes one with `npm run key`.',
        );
  return fail(
    'Access',
    error.message,
    'Check that the address is that of Parley, and what stands in between.',
  );
}

/** One from before there was a status. */
function untold(error: ParleyError): Check {
  return error.status === 404
    ? warn(
        'Version',
        'The server is older than this client, and tells nothing of itself.',
        'Use the client of the same version.',
      )
    : fail('Status', error.message, 'Look again in a moment.');
}
