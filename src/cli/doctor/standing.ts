import type { Settings } from '#cli/settings';
import type { Session } from '#contract/access';
import type { Status } from '#contract/status';
import { type Check, fail, ok, warn } from './check';
import { isLoopback } from './here';

const MAY: Record<string, string> = {
  'conversations:read': 'read conversations',
  'conversations:write': 'start, say or cancel',
  'questions:answer': 'answer questions',
};

/** Who the key stands for, and what it may not do. */
export function access({ name, scopes }: Session, { key }: Settings): Check {
  if (name === null)
    return ok(
      'Access',
      `No key is needed here, and you may do everything.${key ? ' Yours is not looked at.' : ''}`,
    );
  if (scopes.includes('admin')) return ok('Access', `You are ${name}, and may do everything.`);
  const missing = Object.keys(MAY).filter((scope) => !scopes.some((one) => one === scope));
  if (missing.length === 0) return ok('Access', `You are ${name}: ${scopes.join(', ')}.`);
  return warn(
    'Access',
    `You are ${name}: ${scopes.join(', ')}. You may not ${missing.map((scope) => MAY[scope]).join(', nor ')}.`,
    `If you need to, ask whoever runs Parley for a key with ${missing.join(', ')}.`,
  );
}

/** What the server says of itself. */
export function standing(status: Status, settings: Settings, version: string): Check[] {
  return [
    release(status.version, version),
    workers(status),
    agents(status),
    channels(status),
    ...links(status, settings),
  ];
}

/** Before 1.0 a minor version may change anything. */
function release(there: string, own: string): Check {
  const line = (written: string) => written.split('.', 2).join('.');
  return line(there) === line(own)
    ? ok('Version', `${there} there, ${own} here.`)
    : warn(
        'Version',
        `${there} there, ${own} here.`,
        'Use the client of the same version: what is new may not work.',
      );
}

function workers({ workers: count, temporal }: Status): Check {
  if (count === null) {
    const why = temporal.reachable ? 'Temporal does not tell' : 'Temporal does not answer';
    return warn(
      'Workers',
      `${why} whether one is up.`,
      'If conversations do not move, see that `npm run worker` runs.',
    );
  }
  if (count === 0)
    return fail(
      'Workers',
      'None asked for work within the last minutes: conversations wait, and answers are kept.',
      'Start one: npm run worker. (`npm start` has one of its own.)',
    );
  return ok('Workers', `${count === 1 ? 'One' : count} asked for work within the last minutes.`);
}

function agents({ agents: count }: Status): Check {
  if (count === 0) return fail('Agents', 'There are none.', 'Write one: docs/agents.md says how.');
  return ok('Agents', count === 1 ? 'There is one.' : `There are ${count}.`);
}

const CHANNELS = { slack: 'Slack', email: 'e-mail', webhook: 'webhooks' };

function channels({ channels: there }: Status): Check {
  const named = (isThere: boolean) =>
    (Object.keys(CHANNELS) as (keyof typeof CHANNELS)[])
      .filter((name) => there[name] === isThere)
      .map((name) => CHANNELS[name]);
  const missing = named(false);
  const rest = missing.length > 0 ? ` Not set up: ${missing.join(', ')}.` : '';
  return ok('Channels', `People are reached by the inbox, ${named(true).join(', ')}.${rest}`);
}

/** A link to "this machine" is no use to people elsewhere. */
function links({ publicUrl }: Status, { url }: Settings): Check[] {
  if (!URL.canParse(publicUrl) || !isLoopback(publicUrl) || isLoopback(url)) return [];
  return [
    warn(
      'Links',
      `They begin with ${publicUrl}, which leads nowhere from here.`,
      'Whoever runs Parley sets PARLEY_PUBLIC_URL to its address.',
    ),
  ];
}
