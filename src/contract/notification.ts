import { z } from 'zod';
import { Audience } from './permissions';
import { FiniteDuration } from './time';

/** The channels, with what may follow the colon; null for a channel that takes no target. */
const CHANNEL_TARGETS: Record<string, { pattern: RegExp; example: string } | null> = {
  inbox: null,
  log: null,
  webhook: null,
  slack: {
    pattern: /^(#[^\s#@<>&,:]{1,80}|@[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}|[CGD][A-Z0-9]{7,20})$/,
    example: 'a channel as #ops, the id of one, or a person as @maria',
  },
  email: {
    pattern: /^[^\s@<>,;:"()[\]\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/,
    example: 'an address as ops@example.com',
  },
};

export const CHANNEL_NAMES = Object.keys(CHANNEL_TARGETS);

const DESTINATION_HELP = 'there are: inbox, log, webhook, slack:#channel, slack:@person, email:address';

function findDestinationIssue(text: string): string | undefined {
  const [channel = ''] = text.split(':', 1);
  if (!Object.hasOwn(CHANNEL_TARGETS, channel)) return `"${text}" is no place to tell anybody; ${DESTINATION_HELP}`;
  const target = CHANNEL_TARGETS[channel];
  const suffix = text.slice(channel.length + 1);
  if (!target) return text === channel ? undefined : `"${channel}" stands alone, with nothing after it`;
  return target.pattern.test(suffix) ? undefined : `"${text}" needs ${target.example} after "${channel}:"`;
}

/** Where a notice goes: a channel, and where on it. */
export const Destination = z
  .string(`write where to tell somebody; ${DESTINATION_HELP}`)
  .max(300)
  .refine((text) => findDestinationIssue(text) === undefined, {
    error: ({ input }) => findDestinationIssue(String(input)) ?? '',
  });

export const NotifyTargets = z
  .array(Destination, `must be a list, as in [slack:#ops]; ${DESTINATION_HELP}`)
  .max(10)
  .refine((targets) => new Set(targets).size === targets.length, 'names the same place twice')
  .describe(
    'Where to tell that something waits: `inbox`, `log`, `webhook` (the callback URL), `slack:#ops`, `slack:@maria`, ' +
      '`email:ops@example.com`. It lets nobody answer who may not otherwise.',
  );

/** Counted from the moment the question is asked. */
export const ReminderSchedule = z
  .array(FiniteDuration)
  .max(20)
  .describe('After how long to bring a question that is still open to mind again, as in 4h, 1d.');

/** From then on these may see the conversation and answer, too. */
export const Escalation = z.strictObject({
  after: FiniteDuration,
  to: z.preprocess((to) => (typeof to === 'string' ? [to] : to), Audience.min(1)),
  notify: NotifyTargets.optional(),
});
export type Escalation = z.infer<typeof Escalation>;

export const CallbackUrl = z
  .url({ protocol: /^https?$/, error: 'write a web address, with http:// or https://' })
  .max(2_048)
  .describe(
    'Where to tell what happens, by signed webhooks (Standard Webhooks 1.0): each question, its outcome, and the end. ' +
      'https only, and a host on the public internet unless the operator allows it.',
  );
