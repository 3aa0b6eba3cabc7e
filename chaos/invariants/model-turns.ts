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

/** Checks that the model's turns match the scenario, each once, and that it received the true result of each call. */
export function checkModelTurns(evidence: ConversationEvidence): string[] {
  return evidence.documents.flatMap((document) => {
    const scenario = evidence.scenarios.get(findScenarioName(JSON.stringify(document.transcript[0])) ?? '');
    if (!scenario) return ['it has no scenario'];
    const modelLog = evidence.modelLogs.get(scenario.name);
    return [
      ...(modelLog?.problems ?? []),
      ...checkTurnCalls(evidence, document, scenario.name),
      ...listToolResults(document).flatMap(({ tool_use_id: id = '', content }) => {
        const givenResults = [...(modelLog?.results.get(id) ?? [])];
        return givenResults.every((text) => text === content)
          ? []
          : [`for ${id}, the model got ${JSON.stringify(givenResults)}, but the transcript has ${content}`];
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

/** Checks that each turn of the transcript has the calls of the scenario. */
function checkTurnCalls({ scenarios }: ConversationEvidence, document: ConversationExport, name: string): string[] {
  const scenario = scenarios.get(name);
  return listBlocks(document, 'assistant').flatMap((blocks, step) => {
    const called = blocks.filter(({ type }) => type === 'tool_use').map((block) => block.name);
    const planned = scenario ? createToolCalls(scenario, step, 1, '').map((call) => call.name) : [];
    return isDeepStrictEqual(called, planned)
      ? []
      : [`turn ${step} has ${called.join(', ')} instead of ${planned.join(', ')}`];
  });
}

/** Checks that the model received the question's outcome. */
function checkQuestionResult(document: ConversationExport, question: Question): string[] {
  const { step, call } = findCallRef(question) ?? { step: -1, call: -1 };
  const toolUse = listBlocks(document, 'assistant')[step]?.filter(({ type }) => type === 'tool_use')[call];
  const results = listToolResults(document).filter(({ tool_use_id }) => tool_use_id === toolUse?.id);
  const [result] = results;
  if (!result || results.length > 1) return [`the model got ${results.length} results for ${question.id}`];
  return isOutcomeText(result.content ?? '', question)
    ? []
    : [
        `${question.id} is ${question.status} (${JSON.stringify(question.outcome)}), but the model got ${result.content}`,
      ];
}

function isOutcomeText(text: string, { status, outcome, fields, confirms }: Question): boolean {
  switch (status) {
    case 'answered': {
      const isYes = outcome?.answers?.q1 === YES_LABEL;
      // The tool ran, so the model received its result instead.
      if (confirms?.tool && isYes) return true;
      const parsed = JSON.parse(text);
      if (confirms) return parsed.confirmed === isYes && parsed.comment === outcome?.comment;
      const byText = Object.fromEntries(fields.map((field) => [field.question, outcome?.answers?.[field.key]]));
      return isDeepStrictEqual(parsed.answers, byText) && parsed.comment === outcome?.comment;
    }
    case 'declined':
      return text.startsWith('The user declined') && text.includes(outcome?.comment ?? '');
    case 'timed_out': {
      const parsed = JSON.parse(text);
      return parsed.outcome === 'timed_out' && parsed.defaulted === outcome?.defaulted;
    }
    default:
      return /cancelled/.test(text);
  }
}

/**
 * Checks that run-once tools did not run twice, that guarded tools ran only after a "yes", and that runs were reported
 * to the model.
 */
export function checkToolRuns(evidence: ConversationEvidence): string[] {
  return evidence.documents.flatMap((document) => {
    const transcriptText = JSON.stringify(document.transcript);
    return listHttpRequests(document).flatMap(({ ref, result }) => {
      const planned = findPlannedCall(evidence, ref);
      if (planned?.tool !== 'request') return [`${ref} was called, but is not in the scenario`];
      const times = evidence.toolRuns.get(ref) ?? 0;
      const problems: string[] = [];
      const isGuarded = document.conversation.agent === 'guarded';
      const mustRunOnce = planned.method === 'POST' || isGuarded;
      if (mustRunOnce && times > 1) problems.push(`${ref} must not run twice, but ran ${times} times`);
      if (result?.includes(formatRunMarker(ref)) && times === 0)
        problems.push(`${ref} is reported as run, but did not run`);
      if (!transcriptText.includes(ref)) problems.push(`${ref} is missing from the transcript`);
      if (isGuarded && times > 0 && !isApproved(document, ref)) problems.push(`${ref} ran without approval`);
      return problems;
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
