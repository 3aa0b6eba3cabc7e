import { isDeepStrictEqual } from 'node:util';
import type { Export } from '#contract/export';
import type { Question } from '#contract/question';
import { YES } from '#core/asking';
import { callsOf } from '../calls';
import { playIn } from '../play';
import { callBehind, type Evidence } from './evidence';

type Block = {
  type: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string;
};

/** The model's turns are those of the play, each once, and it was told what really came of each call. */
export function turnsOf(evidence: Evidence): string[] {
  return evidence.documents.flatMap((document) => {
    const play = evidence.plays.get(playIn(JSON.stringify(document.transcript[0])) ?? '');
    if (!play) return ['it has no play'];
    const heard = evidence.heard.get(play.name);
    return [
      ...(heard?.faults ?? []),
      ...strayed(evidence, document, play.name),
      ...resultsOf(document).flatMap(({ tool_use_id: id = '', content }) => {
        const told = [...(heard?.results.get(id) ?? [])];
        return told.every((text) => text === content)
          ? []
          : [`of ${id} the model was told ${JSON.stringify(told)}, and it is written down as ${content}`];
      }),
      ...document.questions.flatMap((question) => mistold(document, question)),
    ];
  });
}

const blocksOf = ({ transcript }: Export, role: string) =>
  transcript.filter((message) => message.role === role).map(({ content }) => content as unknown as Block[]);
const resultsOf = (document: Export) =>
  blocksOf(document, 'user')
    .flat()
    .filter(({ type }) => type === 'tool_result');

/** Each turn of the transcript has the calls that the play has there. */
function strayed({ plays }: Evidence, document: Export, name: string): string[] {
  const play = plays.get(name);
  return blocksOf(document, 'assistant').flatMap((blocks, step) => {
    const called = blocks.filter(({ type }) => type === 'tool_use').map((block) => block.name);
    const planned = play ? callsOf(play, step, 1, '').map((call) => call.name) : [];
    return isDeepStrictEqual(called, planned)
      ? []
      : [`turn ${step} has ${called.join(', ')} in place of ${planned.join(', ')}`];
  });
}

/** What the model read of a question is its outcome. */
function mistold(document: Export, question: Question): string[] {
  const { step, call } = callBehind(question) ?? { step: -1, call: -1 };
  const use = blocksOf(document, 'assistant')[step]?.filter(({ type }) => type === 'tool_use')[call];
  const results = resultsOf(document).filter(({ tool_use_id }) => tool_use_id === use?.id);
  const [result] = results;
  if (!result || results.length > 1) return [`the model heard of ${question.id} ${results.length} times`];
  return isToldIn(result.content ?? '', question)
    ? []
    : [
        `${question.id} is ${question.status} (${JSON.stringify(question.outcome)}), and the model heard ${result.content}`,
      ];
}

function isToldIn(text: string, { status, outcome, fields, confirms }: Question): boolean {
  switch (status) {
    case 'answered': {
      const isYes = outcome?.answers?.q1 === YES;
      // The tool ran: what came of that is told instead.
      if (confirms?.tool && isYes) return true;
      const said = JSON.parse(text);
      if (confirms) return said.confirmed === isYes && said.comment === outcome?.comment;
      const byText = Object.fromEntries(
        fields.map((field) => [field.question, outcome?.answers?.[field.key]]),
      );
      return isDeepStrictEqual(said.answers, byText) && said.comment === outcome?.comment;
    }
    case 'declined':
      return text.startsWith('The user declined') && text.includes(outcome?.comment ?? '');
    case 'timed_out': {
      const said = JSON.parse(text);
      return said.outcome === 'timed_out' && said.defaulted === outcome?.defaulted;
    }
    default:
      return /cancelled/.test(text);
  }
}
