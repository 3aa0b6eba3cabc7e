import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import {
  CHOOSE_ACTION,
  DECLINE_ACTION,
  listButtonChoices,
  OPEN_FORM_ACTION,
  parseButtonValue,
  type SlackButtonValue,
  type SlackQuestionRef,
} from '#channels/slack/blocks/buttons';
import {
  ANSWER_FORM_ID,
  COMMENT_BLOCK_ID,
  createAnswerForm,
  createNoticeView,
  type FormOrigin,
  getFieldBlockId,
  getOtherBlockId,
  parseFormOrigin,
} from '#channels/slack/blocks/modal';
import type { Question, ValidationIssue } from '#contract/question';
import { formatSlackFeedback, type SlackLocation } from './feedback';
import { parseSlackForm, type SlackButtonClick, type SlackFormState, type SlackFormSubmission } from './payloads';
import type { SlackUser } from './resolve-principal';
import {
  findReferencedQuestion,
  type SlackAnswer,
  type SlackInboundDeps,
  type SlackSubmitResult,
  submitSlackAnswer,
  toSlackSubmitError,
} from './submit';

export function readSlackUser({ user, team }: Pick<SlackButtonClick, 'user' | 'team'>): SlackUser {
  const { id, username, name, team_id } = user;
  return { user: id, team: team_id ?? team?.id ?? '', username: username ?? name };
}

export function readClickLocation({ user, channel, container, response_url }: SlackButtonClick): SlackLocation {
  return {
    user: user.id,
    channel: channel?.id ?? container?.channel_id,
    ts: container?.message_ts,
    responseUrl: response_url,
  };
}

/** Somebody clicked one of our buttons. Undefined: it was none of ours, or all is done. */
export async function processButtonClick(
  parts: SlackInboundDeps,
  click: SlackButtonClick,
  user: SlackUser,
): Promise<SlackSubmitResult | undefined> {
  const { context, whoIs } = parts;
  const [action] = click.actions;
  const aim = parseButtonValue(action?.value ?? '');
  if (!action || !aim) return undefined;
  const caller = await whoIs(user);
  if (!caller) return { kind: 'unknown' };
  if (action.action_id === OPEN_FORM_ACTION) return openAnswerForm(parts, click, caller, aim);
  if (action.action_id === DECLINE_ACTION)
    return submitSlackAnswer(context, caller, { ...aim, say: () => ({ declines: true }) });
  if (!action.action_id.startsWith(`${CHOOSE_ACTION}_`)) return undefined;
  return submitSlackAnswer(context, caller, { ...aim, say: (asked) => answerForChoice(asked, aim.choice) });
}

function answerForChoice(question: Question, choice: number | undefined): SlackAnswer {
  const value = listButtonChoices(question)?.[choice ?? -1]?.value;
  return value === undefined ? { misfit: 'That button is of no use any more.' } : { answer: value };
}

/** The form, for those who may answer. Slack lets it be opened for three seconds. */
async function openAnswerForm(
  { context, slack }: SlackInboundDeps,
  click: SlackButtonClick,
  caller: Principal,
  { conversation, question, askedAt }: SlackButtonValue,
): Promise<SlackSubmitResult | undefined> {
  const { channel = '', ts = '' } = readClickLocation(click);
  const found = await findOpenQuestion(context, caller, { conversation, question, askedAt });
  if ('kind' in found) return found;
  const { web } = context.linksOf(conversation);
  const view = createAnswerForm(found, { conversation, question, askedAt, channel, ts }, web);
  await slack.web.views.open({ trigger_id: click.trigger_id ?? '', view });
  return undefined;
}

async function findOpenQuestion(
  context: ApiDeps,
  caller: Principal,
  asking: SlackQuestionRef,
): Promise<Question | SlackSubmitResult> {
  try {
    const { question, title } = await findReferencedQuestion(context, caller, asking);
    return question.status === 'pending' ? question : { kind: 'late', question, title };
  } catch (error) {
    return toSlackSubmitError(context, caller, error);
  }
}

export function readFormOrigin({ view }: SlackFormSubmission): FormOrigin | undefined {
  return view.callback_id === ANSWER_FORM_ID ? parseFormOrigin(view.private_metadata) : undefined;
}

/** Somebody sent the form. */
export async function processFormSubmission(
  { context, whoIs }: SlackInboundDeps,
  { view }: SlackFormSubmission,
  { conversation, question, askedAt }: FormOrigin,
  user: SlackUser,
  onKept: () => void,
): Promise<SlackSubmitResult> {
  const caller = await whoIs(user);
  if (!caller) return { kind: 'unknown' };
  return submitSlackAnswer(context, caller, {
    conversation,
    question,
    askedAt,
    say: (asked) => parseSlackForm(asked, view.state.values),
    onKept,
  });
}

const CLOSE_FORM = { response_action: 'clear' };

/** How Slack is told what to do with the form. Where it may yet be sent again it stays, with all that was typed. */
export function createFormResponse(result: SlackSubmitResult, { view }: SlackFormSubmission, user: SlackUser): object {
  if (result.kind === 'taken') return CLOSE_FORM;
  if (result.kind === 'trouble') return createFormErrorResponse(result.words);
  if (result.kind === 'invalid')
    return { response_action: 'errors', errors: formErrorsByBlock(result.faults, view.state.values) };
  const text = formatSlackFeedback(result, user) ?? '';
  return { response_action: 'update', view: createNoticeView(RESULT_TITLES[result.kind], text) };
}

/** The same while it is not known yet what comes of it. */
export function createSlowFormResponse(isKept: boolean): object {
  return isKept ? CLOSE_FORM : createFormErrorResponse('Parley is slow just now: send it again, it counts once.');
}

const RESULT_TITLES = {
  kept: 'Kept',
  late: 'Too late',
  misfit: 'Not taken',
  forbidden: 'Not yours to answer',
  unknown: 'Not yours to answer',
  gone: 'Not there',
};

const MAX_ERROR_LENGTH = 300;

function createFormErrorResponse(words: string): object {
  return { response_action: 'errors', errors: { [COMMENT_BLOCK_ID]: words.slice(0, MAX_ERROR_LENGTH) } };
}

/** Each fault at its input; Slack knows no other place. */
function formErrorsByBlock(faults: ValidationIssue[], values: SlackFormState): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of faults) {
    const key = path.replace(/^answers\.?/, '');
    const candidates = [...(/other/.test(message) ? [getOtherBlockId(key)] : []), getFieldBlockId(key)];
    const block = candidates.find((one) => Object.hasOwn(values, one)) ?? COMMENT_BLOCK_ID;
    errors[block] = formatIssueMessage(message);
  }
  return errors;
}

function formatIssueMessage(message: string): string {
  const words = / has no answer$/.test(message) ? 'this has no answer yet' : message;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.slice(0, MAX_ERROR_LENGTH);
}
