import { isDeepStrictEqual } from 'node:util';
import type { Question } from '#contract/question';
import type { ConversationExport } from '#contract/responses';
import { YES_LABEL } from '#core/questions/create';
import { createToolCalls, findScenarioName, parseCallRef } from '../scenario/scenario';
import { formatRunMarker } from '../scenario/tool-server';
import { type ConversationEvidence, findCallRef, findPlannedCall } from './evidence';

type TranscriptBlock = {
  type: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string;
};

/** The model's turns are those of the play, each once, and it was told what really came of each call. */
export function checkModelTurns(evidence: ConversationEvidence): string[] {
  return evidence.documents.flatMap((document) => {
    const play = evidence.plays.get(findScenarioName(JSON.stringify(document.transcript[0])) ?? '');
    if (!play) return ['it has no play'];
    const heard = evidence.heard.get(play.name);
    return [
      ...(heard?.faults ?? []),
      ...checkTurnCalls(evidence, document, play.name),
      ...listToolResults(document).flatMap(({ tool_use_id: id = '', content }) => {
        const told = [...(heard?.results.get(id) ?? [])];
        return told.every((text) => text === content)
          ? []
          : [`of ${id} the model was told ${JSON.stringify(told)}, and it is written down as ${content}`];
      }),
      ...document.questions.flatMap((question) => checkQuestionResult(document, question)),
    ];
  });
}

const listBlocks = ({ transcript }: ConversationExport, role: string) =>
  transcript.filter((message) => message.role === role).map(({ content }) => content as unknown as TranscriptBlock[]);
const listToolResults = (document: ConversationExport) =>
  listBlocks(document, 'user')
    .flat()
    .filter(({ type }) => type === 'tool_result');

/** Each turn of the transcript has the calls that the play has there. */
function checkTurnCalls({ plays }: ConversationEvidence, document: ConversationExport, name: string): string[] {
  const play = plays.get(name);
  return listBlocks(document, 'assistant').flatMap((blocks, step) => {
    const called = blocks.filter(({ type }) => type === 'tool_use').map((block) => block.name);
    const planned = play ? createToolCalls(play, step, 1, '').map((call) => call.name) : [];
    return isDeepStrictEqual(called, planned)
      ? []
      : [`turn ${step} has ${called.join(', ')} in place of ${planned.join(', ')}`];
  });
}

/** What the model read of a question is its outcome. */
function checkQuestionResult(document: ConversationExport, question: Question): string[] {
  const { step, call } = findCallRef(question) ?? { step: -1, call: -1 };
  const use = listBlocks(document, 'assistant')[step]?.filter(({ type }) => type === 'tool_use')[call];
  const results = listToolResults(document).filter(({ tool_use_id }) => tool_use_id === use?.id);
  const [result] = results;
  if (!result || results.length > 1) return [`the model heard of ${question.id} ${results.length} times`];
  return isOutcomeText(result.content ?? '', question)
    ? []
    : [
        `${question.id} is ${question.status} (${JSON.stringify(question.outcome)}), and the model heard ${result.content}`,
      ];
}

function isOutcomeText(text: string, { status, outcome, fields, confirms }: Question): boolean {
  switch (status) {
    case 'answered': {
      const isYes = outcome?.answers?.q1 === YES_LABEL;
      // The tool ran: what came of that is told instead.
      if (confirms?.tool && isYes) return true;
      const said = JSON.parse(text);
      if (confirms) return said.confirmed === isYes && said.comment === outcome?.comment;
      const byText = Object.fromEntries(fields.map((field) => [field.question, outcome?.answers?.[field.key]]));
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

/** Tools that must not run twice did not, those that a person had to approve ran for a yes only, and what ran was told. */
export function checkToolRuns(evidence: ConversationEvidence): string[] {
  return evidence.documents.flatMap((document) => {
    const told = JSON.stringify(document.transcript);
    return listHttpRequests(document).flatMap(({ ref, result }) => {
      const planned = findPlannedCall(evidence, ref);
      if (planned?.tool !== 'request') return [`${ref} was called, and is not in the play`];
      const times = evidence.runs.get(ref) ?? 0;
      const faults: string[] = [];
      const isGuarded = document.conversation.agent === 'guarded';
      const isOnce = planned.method === 'POST' || isGuarded;
      if (isOnce && times > 1) faults.push(`${ref} must not run twice, and ran ${times} times`);
      if (result?.includes(formatRunMarker(ref)) && times === 0) faults.push(`${ref} is told to have run, and did not`);
      if (!told.includes(ref)) faults.push(`${ref} is not in what the model reads`);
      if (isGuarded && times > 0 && !isApproved(document, ref)) faults.push(`${ref} ran with nobody's yes`);
      return faults;
    });
  });
}

function listHttpRequests({ transcript }: ConversationExport): { ref: string; result?: string }[] {
  const blocks = transcript.flatMap(({ content }) => content);
  return blocks
    .filter(({ type, name }) => type === 'tool_use' && name === 'http_request')
    .flatMap(({ id, input }) => {
      const found = parseCallRef((input as { url: string }).url);
      if (!found) return [];
      const result = blocks.find((block) => block.tool_use_id === id)?.content as string | undefined;
      return [{ ref: `r${found.play}-${found.step}-${found.call}`, result }];
    });
}

function isApproved({ questions }: ConversationExport, ref: string): boolean {
  return questions.some(
    ({ confirms, status, outcome }) =>
      JSON.stringify(confirms?.arguments ?? '').includes(ref) &&
      status === 'answered' &&
      outcome?.answers?.q1 === YES_LABEL,
  );
}
