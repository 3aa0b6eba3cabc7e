import type { EmailSettings } from '../../contract/channel-settings';
import type { Person } from '../../contract/people';
import { personByEmail } from '../../core/people';
import type { Channel, Copy, Outgoing, Ref } from '../channel';
import { replyToken, takesReplies } from './address';
import { answerLink } from './asking';
import { mailOf, type Thread } from './envelope';
import { askingLetter, settledLetter, type Ways } from './letters';
import { createPost, type Post } from './post';
import { trialLetter } from './trial';
import { mayAnswer } from './who';

/** Who is who, and whether everybody may answer. */
export interface Public {
  people: readonly Person[];
  isOpen: boolean;
}

/** Tells people by mail. A mail cannot be changed, so what becomes of a question follows in the same thread. */
export function emailChannel(
  settings: EmailSettings,
  { people, isOpen }: Public,
  secret: string,
  post: Post = createPost(settings.smtpUrl),
): Channel {
  const waysOf = (notice: Outgoing): Ways => {
    const person = personByEmail(people, notice.place);
    if (!isOpen && !mayAnswer(notice.access, person, people)) return { link: undefined, token: undefined };
    const token = takesReplies(settings) ? replyToken(secret, notice.question, person) : undefined;
    return { link: answerLink(secret, notice, person), token };
  };
  const ask = async (notice: Outgoing, thread?: Thread): Promise<Ref> => {
    const ways = waysOf(notice);
    const { id: what, place: to } = notice;
    const mail = mailOf(settings, secret, askingLetter(notice, ways, Date.now()), {
      what,
      to,
      token: ways.token,
      thread,
    });
    await post(mail);
    return { messageId: mail.messageId };
  };
  return {
    name: 'email',
    send: (notice) => ask(notice),
    remind: (notice, first) => ask(notice, threadOf(first)),
    async settle(copy) {
      const person = personByEmail(people, copy.place);
      if (saysItAlready(copy, person)) return;
      // Also now: a reply that comes too late is told so. Whoever could not answer before is given nothing to do it with.
      const token = replyToken(secret, copy.question, person);
      const isTheirs = copy.ref.messageId?.includes(token);
      const thread = threadOf(copy.ref);
      const way = { what: copy.id, to: copy.place, token: isTheirs ? token : undefined, thread };
      await post(mailOf(settings, secret, settledLetter(copy), way));
    },
    async test(place) {
      const to = place || addressOf(settings.from);
      await post(mailOf(settings, secret, trialLetter(settings), { what: `test ${Date.now()}`, to }));
      return `A trial mail to ${to} was taken by ${new URL(settings.smtpUrl).host}.`;
    },
  };
}

function threadOf({ messageId }: Ref): Thread | undefined {
  return messageId ? { inReplyTo: messageId, references: [messageId] } : undefined;
}

function addressOf(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
}

/** The page told them, when they answered on it. */
function saysItAlready({ question: { outcome } }: Copy, person: string): boolean {
  return outcome?.via === 'link' && outcome.by === person;
}
