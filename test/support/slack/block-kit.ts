import { z } from 'zod';

/** Block Kit schemas with Slack's limits: unknown fields, too long texts and too many items are rejected. */
const text = (most: number) => z.string().min(1).max(most);
const plain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(most), emoji: z.boolean().optional() });
const mrkdwn = (most: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: text(most), verbatim: z.boolean().optional() });
const anyText = (most: number) => z.union([plain(most), mrkdwn(most)]);
const blockId = { block_id: text(255).optional() };
const actionId = { action_id: text(255).optional() };

const confirm = z.strictObject({
  title: plain(100),
  text: anyText(300),
  confirm: plain(30),
  deny: plain(30),
  style: z.enum(['primary', 'danger']).optional(),
});
const option = z.strictObject({
  text: anyText(75),
  value: text(150),
  description: anyText(75).optional(),
});
type Option = z.infer<typeof option>;

const button = z.strictObject({
  type: z.literal('button'),
  ...actionId,
  text: plain(75),
  value: text(2_000).optional(),
  url: text(3_000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  confirm: confirm.optional(),
});

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const areOptions = (options: Option[], chosen: Option[]) =>
  chosen.every((one) => options.some((other) => isEqual(one, other)));
const unique = (options: Option[]) => new Set(options.map(({ value }) => value)).size === options.length;

function singleSelect(type: string, most: number) {
  return z
    .strictObject({
      type: z.literal(type),
      ...actionId,
      options: z.array(option).min(1).max(most).refine(unique),
      initial_option: option.optional(),
    })
    .refine(({ options, initial_option: first }) => !first || areOptions(options, [first]));
}
function multiSelect(type: string, most: number) {
  return z
    .strictObject({
      type: z.literal(type),
      ...actionId,
      options: z.array(option).min(1).max(most).refine(unique),
      initial_options: z.array(option).min(1).optional(),
    })
    .refine(({ options, initial_options: first = [] }) => areOptions(options, first));
}
const textInput = (type: string) =>
  z.strictObject({ type: z.literal(type), ...actionId, initial_value: text(3_000).optional() });
const numeral = z.string().regex(/^-?\d+(\.\d+)?$/);

const inputElement = z.union([
  singleSelect('radio_buttons', 10),
  singleSelect('static_select', 100),
  multiSelect('checkboxes', 10),
  multiSelect('multi_static_select', 100),
  textInput('email_text_input'),
  textInput('url_text_input'),
  z.strictObject({
    type: z.literal('plain_text_input'),
    ...actionId,
    multiline: z.boolean().optional(),
    initial_value: text(3_000).optional(),
  }),
  z
    .strictObject({
      type: z.literal('number_input'),
      ...actionId,
      is_decimal_allowed: z.boolean(),
      initial_value: numeral.optional(),
      min_value: numeral.optional(),
      max_value: numeral.optional(),
    })
    .refine(
      ({ is_decimal_allowed: may, initial_value: a, min_value: b, max_value: c }) =>
        may || ![a, b, c].some((value) => value?.includes('.')),
    ),
  z.strictObject({
    type: z.literal('datepicker'),
    ...actionId,
    initial_date: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .optional(),
  }),
  z.strictObject({
    type: z.literal('datetimepicker'),
    ...actionId,
    initial_date_time: z.number().int().min(1_000_000_000).max(9_999_999_999).optional(),
  }),
]);

const header = z.strictObject({ type: z.literal('header'), ...blockId, text: plain(150) });
const section = z.strictObject({ type: z.literal('section'), ...blockId, text: anyText(3_000) });
const context = z.strictObject({
  type: z.literal('context'),
  ...blockId,
  elements: z.array(anyText(3_000)).min(1).max(10),
});
const richText = z.strictObject({
  type: z.literal('rich_text'),
  ...blockId,
  elements: z.array(
    z.strictObject({
      type: z.literal('rich_text_preformatted'),
      elements: z.array(z.strictObject({ type: z.literal('text'), text: z.string().min(1) })).min(1),
    }),
  ),
});
const actions = z.strictObject({
  type: z.literal('actions'),
  ...blockId,
  elements: z
    .array(button)
    .min(1)
    .max(25)
    .refine((all) => new Set(all.map((button) => button.action_id)).size === all.length),
});
const input = z.strictObject({
  type: z.literal('input'),
  ...blockId,
  label: plain(2_000),
  hint: plain(2_000).optional(),
  optional: z.boolean().optional(),
  element: inputElement,
});

const block = z.union([header, section, context, richText, actions, input]);
const blocks = (most: number) =>
  z
    .array(block)
    .min(1)
    .max(most)
    .refine((all) => {
      const ids = all.flatMap((one) => one.block_id ?? []);
      return new Set(ids).size === ids.length;
    }, 'block_id twice');

/** Slack does not document the maximum total length of a message's blocks; some report 13,200. */
const MESSAGE_LENGTH = 13_000;

export const SlackBlocksSchema = blocks(50).refine(
  (all) => collectBlockTexts(all).join('').length <= MESSAGE_LENGTH,
  'msg_blocks_too_long',
);

export const SlackModalSchema = z
  .strictObject({
    type: z.literal('modal'),
    callback_id: text(255).optional(),
    private_metadata: z.string().max(3_000).optional(),
    title: plain(24),
    submit: plain(24).optional(),
    close: plain(24).optional(),
    blocks: blocks(100),
  })
  .refine(({ blocks: all, submit }) => submit || !all.some(({ type }) => type === 'input'), 'no submit');

export const SlackMetadataSchema = z.strictObject({
  event_type: z.string().regex(/^[a-z_]{1,100}$/),
  event_payload: z.record(z.string(), z.string()).refine((all) => JSON.stringify(all).length <= 8_000),
});

/** Returns all texts in it, at any depth. */
export function collectBlockTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { text: own } = value as { text?: unknown };
  return [...(typeof own === 'string' ? [own] : []), ...Object.values(value).flatMap(collectBlockTexts)];
}

/** Returns all texts that Slack reads as markup. */
export function collectMrkdwnTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, text: own } = value as { type?: unknown; text?: unknown };
  const mine = type === 'mrkdwn' && typeof own === 'string' ? [own] : [];
  return [...mine, ...Object.values(value).flatMap(collectMrkdwnTexts)];
}
