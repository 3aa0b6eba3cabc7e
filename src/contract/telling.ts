import { z } from 'zod';
import { Audience } from './access';
import { Period } from './duration';

/** The channels there are. */
export const CHANNELS = ['log'] as const;

const THERE_ARE = `the channels are: ${CHANNELS.join(', ')}`;

/** Where a notice goes: a channel, and what on it. */
export const Notify = z
  .array(z.enum(CHANNELS, THERE_ARE), `must be a list, as in [${CHANNELS[0]}]; ${THERE_ARE}`)
  .max(10)
  .describe('Where to tell that something waits: `log`.');

/** Counted from the moment the question is asked. */
export const Remind = z
  .array(Period)
  .max(20)
  .describe('After how long to bring a question that is still open to mind again, as in 4h, 1d.');

/** From then on these may see the conversation and answer, too. */
export const Escalation = z.strictObject({
  after: Period,
  to: z.preprocess((to) => (typeof to === 'string' ? [to] : to), Audience.min(1)),
  notify: Notify.optional(),
});
export type Escalation = z.infer<typeof Escalation>;

export const CallbackUrl = z
  .url({ protocol: /^https?$/, error: 'write a web address, with http:// or https://' })
  .max(2_048)
  .describe('Where to tell what happens.');
