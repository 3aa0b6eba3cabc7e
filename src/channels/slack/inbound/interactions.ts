import {
  CHOOSE_ACTION,
  DECLINE_ACTION,
  listButtonChoices,
  OPEN_FORM_ACTION,
  parseButtonValue,
  type SlackButtonValue,
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
import type { SlackUser } from './resolve-person';
import {
  findReferencedQuestion,
  type SlackAnswer,
  type SlackInboundDeps,
  type SlackSubmitResult,
  submitSlackAnswer,
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

/** Handles a click on a button. Returns `undefined` if the button is not Parley's, or if there is nothing to report. */
export async function processButtonClick(
  deps: SlackInboundDeps,
  click: SlackButtonClick,
  user: SlackUser,
): Promise<SlackSubmitResult | undefined> {
  const { inbound, resolvePerson } = deps;
  const [action] = click.actions;
  const buttonValue = parseButtonValue(action?.value ?? '');
  if (!action || !buttonValue) return undefined;
  const person = await resolvePerson(user);
  if (!person) return { kind: 'unknownUser' };
  if (action.action_id === OPEN_FORM_ACTION) return openAnswerForm(deps, click, person, buttonValue);
  if (action.action_id === DECLINE_ACTION)
    return submitSlackAnswer(inbound, person, { ...buttonValue, toAnswer: () => ({ declines: true }) });
  if (!action.action_id.startsWith(`${CHOOSE_ACTION}_`)) return undefined;
  return submitSlackAnswer(inbound, person, {
    ...buttonValue,
    toAnswer: (question) => answerForChoice(question, buttonValue.choice),
  });
}

function answerForChoice(question: Question, choice: number | undefined): SlackAnswer {
  const value = listButtonChoices(question)?.[choice ?? -1]?.value;
  return value === undefined ? { rejection: 'This button has expired.' } : { answer: value };
}

/** Opens the form if the person may answer. Slack allows that within three seconds of the click. */
async function openAnswerForm(
  { inbound, slack }: SlackInboundDeps,
  click: SlackButtonClick,
  person: string,
  { conversation, question, askedAt }: SlackButtonValue,
): Promise<SlackSubmitResult | undefined> {
  const { channel = '', ts = '' } = readClickLocation(click);
  const found = await findReferencedQuestion(inbound, person, { conversation, question, askedAt });
  if ('kind' in found) return found;
  if (found.question.status !== 'pending')
    return { kind: 'alreadyResolved', question: found.question, title: found.title };
  const { web } = inbound.buildLinks(conversation);
  const view = createAnswerForm(found.question, { conversation, question, askedAt, channel, ts }, web);
  await slack.web.views.open({ trigger_id: click.trigger_id ?? '', view });
  return undefined;
}

export function readFormOrigin({ view }: SlackFormSubmission): FormOrigin | undefined {
  return view.callback_id === ANSWER_FORM_ID ? parseFormOrigin(view.private_metadata) : undefined;
}

/** Handles a submitted form. */
export async function processFormSubmission(
  { inbound, resolvePerson }: SlackInboundDeps,
  { view }: SlackFormSubmission,
  { conversation, question, askedAt }: FormOrigin,
  user: SlackUser,
  onAccepted: () => void,
): Promise<SlackSubmitResult> {
  const person = await resolvePerson(user);
  if (!person) return { kind: 'unknownUser' };
  return submitSlackAnswer(inbound, person, {
    conversation,
    question,
    askedAt,
    toAnswer: (openQuestion) => parseSlackForm(openQuestion, view.state.values),
    onAccepted,
  });
}

const CLOSE_FORM = { response_action: 'clear' };

/** Tells Slack what to do with the form. If it may be sent again, it stays open with everything that was typed. */
export function createFormResponse(result: SlackSubmitResult, { view }: SlackFormSubmission, user: SlackUser): object {
  if (result.kind === 'accepted') return CLOSE_FORM;
  if (result.kind === 'error') return createFormErrorResponse(result.message);
  if (result.kind === 'invalid')
    return { response_action: 'errors', errors: formErrorsByBlock(result.issues, view.state.values) };
  const text = formatSlackFeedback(result, user) ?? '';
  return { response_action: 'update', view: createNoticeView(RESULT_TITLES[result.kind], text) };
}

/** Creates the response while the result is not known yet. */
export function createSlowFormResponse(isAccepted: boolean): object {
  return isAccepted ? CLOSE_FORM : createFormErrorResponse('Parley is slow. Send it again; it only counts once.');
}

const RESULT_TITLES = {
  queued: 'Saved',
  alreadyResolved: 'Too late',
  rejected: 'Not accepted',
  forbidden: "You can't answer this",
  unknownUser: "You can't answer this",
  notFound: 'Question not found',
};

const MAX_ERROR_LENGTH = 300;

function createFormErrorResponse(message: string): object {
  return { response_action: 'errors', errors: { [COMMENT_BLOCK_ID]: message.slice(0, MAX_ERROR_LENGTH) } };
}

/** Shows each issue at its input; Slack has no other place for errors. */
function formErrorsByBlock(issues: ValidationIssue[], values: SlackFormState): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { path, message } of issues) {
    const key = path.replace(/^answers\.?/, '');
    const candidates = [...(/other/.test(message) ? [getOtherBlockId(key)] : []), getFieldBlockId(key)];
    const errorBlockId = candidates.find((blockId) => Object.hasOwn(values, blockId)) ?? COMMENT_BLOCK_ID;
    errors[errorBlockId] = formatIssueMessage(message);
  }
  return errors;
}

function formatIssueMessage(message: string): string {
  const sentence = / has no answer$/.test(message) ? 'required' : message;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`.slice(0, MAX_ERROR_LENGTH);
}
