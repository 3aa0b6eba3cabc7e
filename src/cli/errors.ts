import { ParleyError, type ParleyErrorCode } from '#client/parley-error';
import type { ConversationStatus } from '#contract/conversation';
import type { ValidationIssue } from '#contract/question';
import type { ConnectionSettings } from './context';
import { sanitizeLine } from './render/sanitize';

/** Exit codes, by which a script can tell how a command ended. */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  notFound: 4,
  refused: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Returns the exit code for a conversation that has ended. */
export function exitCodeForStatus(status: ConversationStatus): ExitCode {
  return status === 'completed' ? EXIT.completed : EXIT.failed;
}

/** Ends a command early, with a message that says what to do next. */
export class CommandError extends Error {
  constructor(
    readonly exit: ExitCode,
    message: string,
    readonly code: string = 'usage',
    /** The individual issues, for programs. */
    readonly errors?: readonly ValidationIssue[],
  ) {
    super(message);
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}

/** Maps an error to an exit code, so that scripts can tell a refusal from a failure. */
export function exitCodeForError(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exit;
  if (!(error instanceof ParleyError)) return EXIT.failed;
  const { code, status = 0 } = error;
  if (code === 'unauthenticated') return EXIT.refused;
  // The response did not come from Parley, or the address is wrong.
  if (code === 'unexpected_response' || code === 'not_found') return EXIT.failed;
  if (code === 'unknown_agent' || status === 404) return EXIT.notFound;
  return status >= 400 && status < 500 && status !== 429 ? EXIT.refused : EXIT.failed;
}

/** An error as printed: one line for a person, or one JSON document for a program. */
interface ErrorReport {
  code: string;
  message: string;
  errors?: unknown;
}

export function toErrorReport(error: unknown, settings: ConnectionSettings | undefined): ErrorReport {
  if (error instanceof CommandError) return { code: error.code, message: error.message, errors: error.errors };
  if (!(error instanceof ParleyError))
    return { code: 'internal', message: `Unexpected error: ${(error as Error)?.message ?? error}` };
  const nextStep = settings && suggestNextStep(error.code, settings);
  const message = [serverMessage(error), nextStep].filter(Boolean).join(' ');
  return { code: error.code, message, errors: error.problem?.errors };
}

/** Returns the server's message, unless it is worded for HTTP. */
function serverMessage({ code, message, problem }: ParleyError): string {
  if (code === 'unauthenticated' && problem) return 'Parley requires a valid key.';
  return problem?.errors?.length && code === 'invalid_answer' ? formatAnswerIssues(problem.errors) : message;
}

/** Formats all issues of an answer, whether found by the CLI or by the server. */
export function formatAnswerIssues(issues: readonly ValidationIssue[]): string {
  const lines = issues.map(({ path, message, allowed }) => {
    const choices = allowed ? ` (allowed: ${allowed.map((choice) => JSON.stringify(choice)).join(', ')})` : '';
    return `${path.replace(/^answers\./, '')}: ${message}${choices}`;
  });
  return `Answer not accepted. ${lines.join('; ')}.`;
}

/** Returns what the user can do about an error, if anything. */
export function suggestNextStep(code: ParleyErrorCode, { key, urlSource }: ConnectionSettings): string | undefined {
  switch (code) {
    case 'unauthenticated':
      return formatKeyHint(key !== undefined);
    case 'network':
      return urlSource === 'default'
        ? 'Start Parley with `npm start`, or set PARLEY_URL.'
        : `The address comes from ${urlSource}.`;
    case 'conversation_not_found':
      return 'List your conversations with `parley list`.';
    case 'unknown_agent':
    case 'agent_not_found':
      return 'List agents with `parley agents`.';
    default:
      return undefined;
  }
}

function formatKeyHint(hasKey: boolean): string {
  const key = hasKey ? 'a valid key' : 'your key';
  return `Set PARLEY_API_KEY to ${key}. Your administrator can create one with \`parley admin key\`.`;
}

/** Formats an error as a single line, even if its message has several. */
export function formatErrorLine({ message }: ErrorReport): string {
  return `parley: ${sanitizeLine(message)}`;
}
