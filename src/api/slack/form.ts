import { blockOf, COMMENT_BLOCK, otherBlockOf } from '#channels/slack/inputs';
import { FORM, noteView, type Origin, readOrigin } from '#channels/slack/modal';
import { type FilledBlocks, readForm } from '#channels/slack/submission';
import type { Fault } from '#contract/question';
import { doIt, type Result } from './deed';
import type { Parts } from './parts';
import type { Submission } from './payloads';
import type { SlackUser } from './person';
import { wordsOn } from './telling';

export function originOf({ view }: Submission): Origin | undefined {
  return view.callback_id === FORM ? readOrigin(view.private_metadata) : undefined;
}

/** Somebody sent the form. */
export async function submitted(
  { context, whoIs }: Parts,
  { view }: Submission,
  { conversation, question, askedAt }: Origin,
  user: SlackUser,
  onKept: () => void,
): Promise<Result> {
  const caller = await whoIs(user);
  if (!caller) return { kind: 'unknown' };
  return doIt(context, caller, {
    conversation,
    question,
    askedAt,
    say: (asked) => readForm(asked, view.state.values),
    onKept,
  });
}

const CLOSED = { response_action: 'clear' };

/** How Slack is told what to do with the form. Where it may yet be sent again it stays, with all that was typed. */
export function formReply(result: Result, { view }: Submission, user: SlackUser): object {
  if (result.kind === 'taken') return CLOSED;
  if (result.kind === 'trouble') return stays(result.words);
  if (result.kind === 'invalid')
    return { response_action: 'errors', errors: errorsOf(result.faults, view.state.values) };
  const text = wordsOn(result, user) ?? '';
  return { response_action: 'update', view: noteView(TITLES[result.kind], text) };
}

/** The same while it is not known yet what comes of it. */
export function slowReply(isKept: boolean): object {
  return isKept ? CLOSED : stays('Parley is slow just now: send it again, it counts once.');
}

const TITLES = {
  kept: 'Kept',
  late: 'Too late',
  misfit: 'Not taken',
  forbidden: 'Not yours to answer',
  unknown: 'Not yours to answer',
  gone: 'Not there',
};

const ERROR_LENGTH = 300;

function stays(words: string): object {
  return { response_action: 'errors', errors: { [COMMENT_BLOCK]: words.slice(0, ERROR_LENGTH) } };
}

/** Each fault at its input; Slack knows no other place. */
function errorsOf(faults: Fault[], values: FilledBlocks): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of faults) {
    const key = path.replace(/^answers\.?/, '');
    const candidates = [...(/other/.test(message) ? [otherBlockOf(key)] : []), blockOf(key)];
    const block = candidates.find((one) => Object.hasOwn(values, one)) ?? COMMENT_BLOCK;
    errors[block] = sentence(message);
  }
  return errors;
}

function sentence(message: string): string {
  const words = / has no answer$/.test(message) ? 'this has no answer yet' : message;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.slice(0, ERROR_LENGTH);
}
