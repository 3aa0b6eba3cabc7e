import { ParleyError, type ParleyErrorCode } from '#client/parley-error';
import type { Fault } from '#contract/question';
import { Ending } from './exit';
import type { Settings } from './settings';
import { safeLine } from './text/safe';

/** What went wrong, for a person on one line or a program as one. */
export interface Trouble {
  code: string;
  message: string;
  errors?: unknown;
}

export function troubleOf(error: unknown, settings: Settings | undefined): Trouble {
  if (error instanceof Ending) {
    const { code, message, errors } = error;
    return { code, message, ...(errors && { errors }) };
  }
  if (error instanceof ParleyError) return ofServer(error, settings);
  return {
    code: 'internal',
    message: `This should not have happened: ${(error as Error)?.message ?? error}`,
  };
}

function ofServer(error: ParleyError, settings: Settings | undefined): Trouble {
  const { code, problem } = error;
  const told = toldOf(error);
  const next = (settings && nextOf(code, settings)) ?? '';
  return {
    code,
    message: [told, next].filter(Boolean).join(' '),
    ...(problem?.errors && { errors: problem.errors }),
  };
}

/** The server's own words, where they are not for those who write HTTP by hand. */
function toldOf({ code, message, problem }: ParleyError): string {
  if (code === 'unauthenticated' && problem) return 'Parley wants a valid key.';
  return problem?.errors?.length && code === 'invalid_answer' ? faultsText(problem.errors) : message;
}

/** Everything that is wrong with an answer, wherever it was found. */
export function faultsText(faults: readonly Fault[]): string {
  const said = faults.map(({ path, message, allowed }) => {
    const choices = allowed ? ` (allowed: ${allowed.map((one) => JSON.stringify(one)).join(', ')})` : '';
    return `${path.replace(/^answers\./, '')}: ${message}${choices}`;
  });
  return `Nothing was sent. ${said.join('; ')}.`;
}

/** What to do about it, from here. */
function nextOf(code: ParleyErrorCode, { key, urlFrom }: Settings): string | undefined {
  switch (code) {
    case 'unauthenticated':
      return key
        ? 'Set PARLEY_API_KEY to a key that is still good: whoever runs Parley makes one with `npm run key`.'
        : 'Set PARLEY_API_KEY to your key: whoever runs Parley makes one with `npm run key`.';
    case 'network':
      return urlFrom === 'default'
        ? 'Start it with `npm start`, or set PARLEY_URL to where it is.'
        : `The address is from ${urlFrom}.`;
    case 'conversation_not_found':
      return '`parley list` shows those you may see.';
    case 'unknown_agent':
    case 'agent_not_found':
      return '`parley agents` shows those there are.';
    default:
      return undefined;
  }
}

/** On one line, whatever it holds. */
export function lineOf({ message }: Trouble): string {
  return `parley: ${safeLine(message)}`;
}
