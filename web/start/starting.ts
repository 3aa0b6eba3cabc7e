import type { StartInput } from '#client/input';
import { ParleyError } from '#client/parley-error';
import type { Attempt } from '../attempt';

/** What is to be started, as far as it has been written. */
export interface StartDraft {
  /** Undefined until one is picked. */
  agent?: string;
  message: string;
  /** How long questions wait; '' is as the agent says. */
  timeout: string;
  attempt?: Attempt;
}

export const BLANK: StartDraft = { message: '', timeout: '' };

const USUAL = 'assistant';

/** The one the address names, else the one picked before, else the usual one; of those that there are. */
export function agentFor(names: readonly string[], asked: string | null, picked?: string): string {
  const wanted = [asked, picked, USUAL].find((name) => names.includes(name ?? ''));
  return wanted ?? names[0] ?? '';
}

export function bodyOf(agent: string, { message, timeout }: StartDraft): StartInput {
  return timeout === '' ? { agent, message } : { agent, message, question: { timeout } };
}

export interface StartFaults {
  agent?: string;
  message?: string;
  /** Of the whole. */
  form?: string;
}

export const EMPTY_MESSAGE: StartFaults = { message: 'Write what you want done.' };

/** What went wrong, said where it can be mended. */
export function faultsOf(error: unknown): StartFaults {
  if (!(error instanceof ParleyError)) return { form: String(error) };
  switch (error.code) {
    case 'network':
      return {
        form: 'Parley cannot be reached. What you wrote is kept here: start it again when you are back online. It starts once.',
      };
    case 'too_large':
      return {
        message: 'This is too long: a message has at most 100 KB. Leave out what the agent can find.',
      };
    case 'unknown_agent':
      return { agent: `${error.message} Choose another.` };
    default:
      return { form: error.message };
  }
}
