import type { Response } from 'express';
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
  getFieldBlockId,
  getOtherBlockId,
  parseFormOrigin,
} from '#channels/slack/blocks/modal';
import type { Question, ValidationIssue } from '#contract/question';
import { formatSlackFeedback, runWithinAckDeadline } from './feedback';
import { parseSlackForm, type SlackButtonClick, type SlackFormState, type SlackFormSubmission } from './payloads';
import type { SlackUser } from './resolve-person';
import { findSlackQuestion, type SlackInboundDeps, type SlackResult, submitSlackAnswer } from './submit';

/** Acknowledges a click in time, whatever its result; feedback follows afterwards. */
export async function handleButtonClick(
  deps: SlackInboundDeps,
  click: SlackButtonClick,
  response: Response,
): Promise<void> {
  const { channel, container, response_url: responseUrl } = click;
  const user = readSlackUser(click);
  const location = { user: user.user, channel: channel?.id ?? container?.channel_id, ts: container?.message_ts };
  const work = submitButtonClick(deps, click, user, location);
  const { report } = await runWithinAckDeadline(deps, user, work);
  response.end();
  report({ ...location, responseUrl });
}

function readSlackUser({ user, team }: Pick<SlackButtonClick, 'user' | 'team'>): SlackUser {
  const { id, username, name, team_id } = user;
  return { user: id, team: team_id ?? team?.id ?? '', username: username ?? name };
}

/** Returns `undefined` if the button is not Parley's, or if there is nothing to report. */
async function submitButtonClick(
  deps: SlackInboundDeps,
  { actions: [action], trigger_id = '' }: SlackButtonClick,
  user: SlackUser,
  location: { channel?: string; ts?: string },
): Promise<SlackResult | undefined> {
  const value = parseButtonValue(action?.value ?? '');
  if (!action || !value) return undefined;
  if (action.action_id === OPEN_FORM_ACTION) return openAnswerForm(deps, user, value, location, trigger_id);
  if (action.action_id === DECLINE_ACTION)
    return submitSlackAnswer(deps, user, { ...value, toAnswer: () => ({ declines: true }) });
  if (!action.action_id.startsWith(`${CHOOSE_ACTION}_`)) return undefined;
  const toAnswer = (question: Question) => {
    const answer = listButtonChoices(question)?.[value.choice ?? -1]?.value;
    return answer === undefined ? { rejection: 'This button has expired.' } : { answer };
  };
  return submitSlackAnswer(deps, user, { ...value, toAnswer });
}

/** Opens the form if the person may answer. Slack allows that within three seconds of the click. */
async function openAnswerForm(
  deps: SlackInboundDeps,
  user: SlackUser,
  ref: SlackButtonValue,
  { channel = '', ts = '' }: { channel?: string; ts?: string },
  trigger_id: string,
): Promise<SlackResult | undefined> {
  const found = await findSlackQuestion(deps, user, ref);
  if (found.status !== 'found') return found;
  const { question, title } = found;
  if (question.status !== 'pending') return { status: 'alreadyResolved', question, title };
  const { conversation, question: questionId, askedAt } = ref;
  const origin = { conversation, question: questionId, askedAt, channel, ts };
  const view = createAnswerForm(question, origin, deps.inbound.buildLinks(conversation).web);
  await deps.slack.web.views.open({ trigger_id, view });
  return undefined;
}

/**
 * Shows the result in the form itself. If that takes too long, the form closes once Temporal has the answer, and
 * feedback goes to where it was opened.
 */
export async function handleFormSubmission(
  deps: SlackInboundDeps,
  form: SlackFormSubmission,
  response: Response,
): Promise<void> {
  const { callback_id, private_metadata, state } = form.view;
  const origin = callback_id === ANSWER_FORM_ID ? parseFormOrigin(private_metadata) : undefined;
  if (!origin) return void response.end();
  const { channel, ts, ...ref } = origin;
  const user = readSlackUser(form);
  let isAccepted = false;
  const work = submitSlackAnswer(deps, user, {
    ...ref,
    toAnswer: (question) => parseSlackForm(question, state.values),
    onAccepted: () => {
      isAccepted = true;
    },
  });
  const { settled, report } = await runWithinAckDeadline(deps, user, work);
  const isClosed = settled === undefined && isAccepted;
  response.json(settled?.result ? createFormResponse(settled.result, form, user) : createSlowFormResponse(isAccepted));
  report({ user: user.user, channel, ts }, () => isClosed);
}

const CLOSE_FORM = { response_action: 'clear' };

/** Tells Slack what to do with the form. If it may be sent again, it stays open with everything that was typed. */
function createFormResponse(result: SlackResult, { view }: SlackFormSubmission, user: SlackUser): object {
  if (result.status === 'accepted') return CLOSE_FORM;
  if (result.status === 'invalid')
    return { response_action: 'errors', errors: formErrorsByBlock(result.issues, view.state.values) };
  const title = RESULT_TITLES[result.status];
  if (title === undefined) return createFormErrorResponse('detail' in result ? result.detail : '');
  return { response_action: 'update', view: createNoticeView(title, formatSlackFeedback(result, user) ?? '') };
}

/** Creates the response while the result is not known yet. */
function createSlowFormResponse(isAccepted: boolean): object {
  return isAccepted ? CLOSE_FORM : createFormErrorResponse('Parley is slow. Send it again; it only counts once.');
}

const RESULT_TITLES: Partial<Record<SlackResult['status'], string>> = {
  queued: 'Saved',
  alreadyResolved: 'Too late',
  rejected: 'Not accepted',
  forbidden: "You can't answer this",
  unknownUser: "You can't answer this",
  conversationNotFound: 'Question not found',
  questionNotFound: 'Question not found',
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
