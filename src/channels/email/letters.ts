import type { Outgoing, Subject } from '#channels/channel';
import type { Question } from '#contract/question';
import { headingOf, questionParts, subjectOf } from './asking';
import { howToReply, isForReplies, moreToSay } from './how-to-reply';
import type { Letter, Part } from './letter';
import { outcomeFacts, outcomeSentence } from './outcome';
import { deadlineOf } from './times';
import { inOneLine, shortened, visible } from './visible';

/** What the one who is written to can do about it. */
export interface Ways {
  /** Their own page to answer on; none where it is for others to answer, or their links were taken back. */
  link: string | undefined;
  /** What a reply by mail is known by; none where they cannot answer so. */
  token: string | undefined;
  /** They may answer, be it by a link or not. */
  isTheirs?: true;
}

export const PREVIEW = 140;

/** Asks, brings to mind again, or tells that it is somebody else's turn. */
export function askingLetter(notice: Outgoing, ways: Ways, now: number): Letter {
  const { question, what, place } = notice;
  const isFirst = what === 'asked';
  const deadline = deadlineOf(question, now);
  const said = isFirst ? [] : [paragraph(`${occasion(notice)} The question is still open.`)];
  return {
    subject: subjectOf(notice),
    preview: shortened(`${isFirst ? '' : `${occasion(notice)} `}${deadline}`, PREVIEW),
    heading: headingOf(notice),
    parts: [
      ...said,
      ...questionParts(question, ways.link),
      ...answering(notice, ways),
      paragraph(deadline),
      ...replying(question, ways),
    ],
    footer: footerOf(`You get this at ${place} because questions of ${question.agent} are told there.`, ways),
  };
}

/** `reminder 1 of 2`, `escalated to maria`: as a sentence. */
function occasion({ what }: Outgoing): string {
  const text = inOneLine(what);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function answering({ links }: Subject, { link, isTheirs }: Ways): Part[] {
  if (link) return [{ kind: 'button', label: 'Answer', url: link }];
  if (isTheirs) return [{ kind: 'button', label: 'Answer in Parley', url: links.web }];
  return [
    paragraph(
      'It is for others to answer: its owner, and those it is assigned to. You are told so that you know.',
    ),
    { kind: 'button', label: 'See it in Parley', url: links.web },
  ];
}

function replying(question: Question, { token }: Ways): Part[] {
  if (!token || !isForReplies(question)) return [];
  return [
    { kind: 'hint', text: `Or reply to this mail with ${howToReply(question)}. ${moreToSay(question)}` },
  ];
}

/** The question is settled: nothing more to do. */
export function settledLetter({ question, title, links, place }: Subject): Letter {
  const sentence = outcomeSentence(question);
  return {
    subject: subjectOf({ question, title }),
    preview: shortened(sentence, PREVIEW),
    heading: { ...headingOf({ question, title }), who: question.origin.map(inOneLine).join(' › ') },
    parts: [
      { kind: 'question', text: sentence },
      { kind: 'facts', facts: outcomeFacts(question) },
      paragraph('There is nothing more for you to do.'),
      { kind: 'button', label: 'See it in Parley', url: links.web },
    ],
    footer: [`You get this at ${place} because you were told of the question before.`],
  };
}

/** The reference comes back with what is quoted, where a mail program lost all else. */
export function footerOf(why: string, { link, token }: Ways): string[] {
  return [
    visible(why),
    ...(link ? ['The links are for you alone: whoever has them can answer in your name.'] : []),
    ...(token ? [`[parley:${token}]`] : []),
  ];
}

export function paragraph(text: string): Part {
  return { kind: 'paragraph', text: visible(text) };
}
