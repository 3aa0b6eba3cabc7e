import type { StartInput } from '#client/options';
import { ParleyError } from '#client/parley-error';
import { resendText, type SubmitAttempt } from '../../api/idempotency';

/** The unsent content of the start form. */
export interface StartDraft {
  /** Undefined until an agent is selected. */
  agent?: string;
  message: string;
  /** The answer deadline; '' for the agent's default. */
  timeout: string;
  attempt?: SubmitAttempt;
}

export const EMPTY_START_DRAFT: StartDraft = { message: '', timeout: '' };

const DEFAULT_AGENT = 'assistant';

/** The agent named in the URL, else the previous choice, else the default; only agents that exist. */
export function chooseAgent(names: readonly string[], requested: string | null, previous?: string): string {
  const match = [requested, previous, DEFAULT_AGENT].find((name) => names.includes(name ?? ''));
  return match ?? names[0] ?? '';
}

export function toStartInput(agent: string, { message, timeout }: StartDraft): StartInput {
  return timeout === '' ? { agent, message } : { agent, message, question: { timeout } };
}

export interface StartFormErrors {
  agent?: string;
  message?: string;
  /** An error of the whole form. */
  form?: string;
}

export const MESSAGE_REQUIRED: StartFormErrors = { message: 'Enter a message.' };

/** Assigns an error to the field where it can be fixed. */
export function toStartFormErrors(error: unknown): StartFormErrors {
  if (!(error instanceof ParleyError)) return { form: String(error) };
  switch (error.code) {
    case 'network':
      return { form: resendText('message') };
    case 'too_large':
      return { message: 'Message too long (100 KB max). Shorten it.' };
    case 'unknown_agent':
      return { agent: `${error.message} Choose another.` };
    default:
      return { form: error.message };
  }
}

/** Example messages for the agents that ship with Parley. */
const EXAMPLE_MESSAGES: Record<string, string[]> = {
  assistant: ['Plan our team offsite', 'Migrate the database'],
  'deploy-captain': ['Deploy release 2.4 of the shop'],
  researcher: ['Find out what a backup takes'],
};

const SHIPPED_AGENTS = ['assistant', 'deploy-captain', 'intake', 'researcher'];

/**
 * Returns no examples unless all shipped agents exist: a custom agent may have the same name and a different purpose.
 */
export function findExampleMessages(agent: string, names: readonly string[]): string[] {
  const isShipped = SHIPPED_AGENTS.every((name) => names.includes(name));
  return isShipped && Object.hasOwn(EXAMPLE_MESSAGES, agent) ? (EXAMPLE_MESSAGES[agent] ?? []) : [];
}
