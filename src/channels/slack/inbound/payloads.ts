import { z } from 'zod';
import { COMMENT_BLOCK_ID, getFieldBlockId, getOtherBlockId, INPUT_ACTION_ID } from '#channels/slack/blocks/modal';
import { listSlackChoices } from '#channels/slack/blocks/question';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { parseJson } from '#core/json';
import { type FieldInput, parseFieldInput } from '#presentation/form-state';

const PayloadUser = z.object({
  id: z.string(),
  username: z.string().optional(),
  name: z.string().optional(),
  team_id: z.string().nullish(),
});
const PayloadTeam = z.object({ id: z.string() }).nullish();

/** A click on a message button. Only the fields that are used; Slack sends more. */
const SlackButtonClick = z.object({
  type: z.literal('block_actions'),
  user: PayloadUser,
  team: PayloadTeam,
  channel: z.object({ id: z.string() }).optional(),
  container: z.object({ channel_id: z.string().optional(), message_ts: z.string().optional() }).optional(),
  response_url: z.string().optional(),
  trigger_id: z.string().optional(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).min(1),
});
export type SlackButtonClick = z.infer<typeof SlackButtonClick>;

const SelectedOption = z.object({ value: z.string().optional() });
/** Slack's state of the inputs of a form, by block and action. */
const SlackFormState = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({
      type: z.string().optional(),
      value: z.string().nullish(),
      selected_option: SelectedOption.nullish(),
      selected_options: z.array(SelectedOption).nullish(),
      selected_date: z.string().nullish(),
      selected_date_time: z.number().nullish(),
    }),
  ),
);
export type SlackFormState = z.infer<typeof SlackFormState>;

/** A submitted form. */
const SlackFormSubmission = z.object({
  type: z.literal('view_submission'),
  user: PayloadUser,
  team: PayloadTeam,
  view: z.object({
    callback_id: z.string().optional(),
    private_metadata: z.string().default(''),
    state: z.object({ values: SlackFormState }),
  }),
});
export type SlackFormSubmission = z.infer<typeof SlackFormSubmission>;

/** A message that the bot can read. */
const SlackMessageEvent = z.object({
  type: z.literal('message'),
  subtype: z.string().optional(),
  channel: z.string(),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  text: z.string().default(''),
  ts: z.string(),
  thread_ts: z.string().optional(),
  parent_user_id: z.string().optional(),
  team: z.string().optional(),
  user_team: z.string().optional(),
});
export type SlackMessageEvent = z.infer<typeof SlackMessageEvent>;

const SlackEventEnvelope = z.discriminatedUnion('type', [
  z.object({ type: z.literal('url_verification'), challenge: z.string() }),
  z.object({
    type: z.literal('event_callback'),
    team_id: z.string().optional(),
    event: SlackMessageEvent.optional().catch(undefined),
  }),
]);

/** Parses an interaction; undefined if it is of a type that Parley does not handle. */
export function parseSlackInteraction(body: string): SlackButtonClick | SlackFormSubmission | undefined {
  const payload = parseJson(new URLSearchParams(body).get('payload') ?? '');
  return z.discriminatedUnion('type', [SlackButtonClick, SlackFormSubmission]).safeParse(payload).data;
}

/** Parses what Slack posts about events. An event that is not a message is left out. */
export function parseSlackEnvelope(body: string): z.infer<typeof SlackEventEnvelope> | undefined {
  return SlackEventEnvelope.safeParse(parseJson(body)).data;
}

/** Builds the answer from a form. An empty input has no answer; the server rejects that if one is required. */
export function parseSlackForm(
  question: Question,
  values: SlackFormState,
): { answers: Record<string, AnswerValue>; comment?: string } {
  const answers: Record<string, AnswerValue> = {};
  for (const field of question.fields) {
    const value = readFieldValue(field, values);
    if (value !== undefined) answers[field.key] = value;
  }
  const comment = values[COMMENT_BLOCK_ID]?.[INPUT_ACTION_ID]?.value?.trim();
  return { answers, ...(comment ? { comment } : {}) };
}

function readFieldValue(field: QuestionField, values: SlackFormState): AnswerValue | undefined {
  const input = readSlackInput(field, values);
  const result = parseFieldInput(field, input, (text) => text);
  // The server reports why the text is invalid.
  return result.ok ? result.value : input.text || undefined;
}

function readSlackInput(field: QuestionField, values: SlackFormState): FieldInput {
  const input = values[getFieldBlockId(field.key)]?.[INPUT_ACTION_ID] ?? {};
  const other = values[getOtherBlockId(field.key)]?.[INPUT_ACTION_ID]?.value?.trim() ?? '';
  const selected = [...(input.selected_options ?? []), ...(input.selected_option ? [input.selected_option] : [])];
  const choices = listSlackChoices(field) ?? [];
  const moment = input.selected_date_time && new Date(input.selected_date_time * 1_000).toISOString();
  return {
    picked: selected.flatMap(({ value }) => choices[Number(value)]?.label ?? []),
    isOther: other !== '',
    other,
    text: moment || (input.selected_date ?? input.value ?? ''),
  };
}
