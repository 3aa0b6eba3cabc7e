import type { Question } from '#contract/question';
import { fieldsParts, headingOf, subjectOf } from './asking';
import { howToReply, moreToSay } from './how-to-reply';
import type { Letter, Part } from './letter';
import { footerOf, PREVIEW, paragraph, type Ways } from './letters';
import { outcomeFacts, outcomeSentence } from './outcome';
import { deadlineOf } from './times';
import { inOneLine, shortened, visible } from './visible';

/** What goes back to somebody whose reply was not simply taken. */
export interface Return {
  question: Question;
  title: string;
  /** Where the reply came from. */
  place: string;
  ways: Ways;
}

const READ = 600;

/** It did not fit: what was read, what would fit, and where else to answer. */
export function unclearLetter(about: Return, problems: string[], words: string, now: number): Letter {
  const { question, ways } = about;
  const read = words.trim() || '(nothing)';
  return returned(about, 'Your reply was not taken, and the question is still open.', [
    ...problems.map(paragraph),
    { kind: 'exact', label: 'What Parley read in it:', text: shortened(visible(read), READ) },
    ...fieldsParts(question, ways.link),
    ...(ways.link ? [{ kind: 'button' as const, label: 'Answer', url: ways.link }] : []),
    { kind: 'hint', text: `Or reply again, with ${howToReply(question)}. ${moreToSay(question)}` },
    paragraph(deadlineOf(question, now)),
  ]);
}

/** Somebody else was first, or it was too late. */
export function lateLetter(about: Return): Letter {
  return returned(about, 'Your reply changed nothing: the question was settled before.', [
    paragraph(outcomeSentence(about.question)),
    { kind: 'facts', facts: outcomeFacts(about.question) },
  ]);
}

export function keptLetter(about: Return): Letter {
  return returned(about, 'Your reply is kept.', [
    paragraph(
      'Nothing is there at the moment to act on it. That will happen by itself, and you will get a mail then: there is no need to send it again.',
    ),
  ]);
}

function returned(about: Return, sentence: string, parts: Part[]): Letter {
  return {
    subject: subjectOf(about),
    preview: shortened(sentence, PREVIEW),
    heading: headingOf(about),
    parts: [{ kind: 'question', text: sentence }, ...parts],
    footer: footerOf(why(about.place), about.ways),
  };
}

/** Where there is no one question to speak of. */
export function plainLetter(subject: string, place: string, sentences: string[], links: string[]): Letter {
  return {
    subject,
    preview: shortened(sentences.join(' '), PREVIEW),
    heading: { who: 'Parley', title: '' },
    parts: [
      { kind: 'question', text: subject },
      ...sentences.map(paragraph),
      ...links.map((url) => ({ kind: 'button' as const, label: 'See it in Parley', url })),
    ],
    footer: [inOneLine(why(place))],
  };
}

function why(place: string): string {
  return `You get this at ${place} because a reply to Parley came from there.`;
}
