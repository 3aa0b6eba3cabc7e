import type { EmailSettings } from '#contract/channel-settings';
import { takesReplies } from './address';
import type { Letter } from './letter';

/** Shows that mail arrives. */
export function trialLetter(settings: EmailSettings): Letter {
  const replies = takesReplies(settings)
    ? `Replies to questions go to ${settings.replyTo}, and answer them.`
    : 'Replies to questions are not taken: set PARLEY_EMAIL_REPLY_TO and PARLEY_EMAIL_SECRET for that.';
  return {
    subject: 'A trial mail from Parley',
    preview: 'Mail from Parley arrives here.',
    heading: { who: 'Parley', title: '' },
    parts: [
      { kind: 'question', text: 'Mail from Parley arrives here.' },
      {
        kind: 'paragraph',
        text: `Questions that agents ask will come this way, with a link to answer. ${replies}`,
      },
    ],
    footer: ['Somebody who runs this Parley sent it, to try it out.'],
  };
}
