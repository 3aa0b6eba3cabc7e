import type { Channel, Outgoing, Ref, Subject } from '#channels/channel';
import { EVERYBODY } from '#contract/access';
import type { EmailSettings } from '#contract/channel-settings';
import type { Person } from '#contract/people';
import type { Question } from '#contract/question';
import { personByEmail } from '#core/people';
import { messageId, replyToken, takesReplies } from './address';
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

/** How a mail can be answered, as its ref has it. */
const BY_REPLY = 'reply';
const BY_LINK = 'link';

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
    const isRevoked = [person, EVERYBODY].some((name) => notice.revoked.includes(name));
    return { link: isRevoked ? undefined : answerLink(secret, notice, person), token, isTheirs: true };
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
    return { sent: what, by: ways.token ? BY_REPLY : BY_LINK };
  };
  /** The mail that a copy is: its id is made again, since it has the token in it, and refs are kept in histories. */
  const threadOf = ({ sent, by }: Ref, question: Question, person: string): Thread | undefined => {
    if (!sent) return undefined;
    const token = by === BY_REPLY ? replyToken(secret, question, person) : undefined;
    const first = messageId(secret, settings.from, sent, token);
    return { inReplyTo: first, references: [first] };
  };
  return {
    name: 'email',
    send: (notice) => ask(notice),
    async remind(notice, first) {
      const thread = threadOf(first, notice.question, personByEmail(people, notice.place));
      const sent = await ask(notice, thread);
      return thread ? first : sent;
    },
    async settle({ ref, ...copy }) {
      const person = personByEmail(people, copy.place);
      const thread = threadOf(ref, copy.question, person);
      if (!thread || saysItAlready(copy, person)) return;
      // Also now: a reply that comes too late is told so. Whoever could not answer before is given nothing to do it with.
      const token = ref.by === BY_REPLY ? replyToken(secret, copy.question, person) : undefined;
      const way = { what: copy.id, to: copy.place, token, thread };
      await post(mailOf(settings, secret, settledLetter(copy), way));
    },
    async test(place) {
      const to = place || addressOf(settings.from);
      await post(mailOf(settings, secret, trialLetter(settings), { what: `test ${Date.now()}`, to }));
      return `A trial mail to ${to} was taken by ${new URL(settings.smtpUrl).host}.`;
    },
  };
}

function addressOf(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
}

/** The page told them, when they answered on it. */
function saysItAlready({ question: { outcome } }: Subject, person: string): boolean {
  return outcome?.via === 'link' && outcome.by === person;
}
