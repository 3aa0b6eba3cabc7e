import type { Export } from '#contract/export';
import { YES } from '#core/asking';
import { ranOf } from '../outside';
import { readRef } from '../play';
import { type Evidence, plannedAt } from './evidence';

/** Tools that must not run twice did not, those that a person had to approve ran for a yes only, and what ran was told. */
export function toolRunsOf(evidence: Evidence): string[] {
  return evidence.documents.flatMap((document) => {
    const told = JSON.stringify(document.transcript);
    return requestsIn(document).flatMap(({ ref, result }) => {
      const planned = plannedAt(evidence, ref);
      if (planned?.tool !== 'request') return [`${ref} was called, and is not in the play`];
      const times = evidence.runs.get(ref) ?? 0;
      const faults: string[] = [];
      const isGuarded = document.conversation.agent === 'guarded';
      const isOnce = planned.method === 'POST' || isGuarded;
      if (isOnce && times > 1) faults.push(`${ref} must not run twice, and ran ${times} times`);
      if (result?.includes(ranOf(ref)) && times === 0) faults.push(`${ref} is told to have run, and did not`);
      if (!told.includes(ref)) faults.push(`${ref} is not in what the model reads`);
      if (isGuarded && times > 0 && !isApproved(document, ref)) faults.push(`${ref} ran with nobody's yes`);
      return faults;
    });
  });
}

function requestsIn({ transcript }: Export): { ref: string; result?: string }[] {
  const blocks = transcript.flatMap(({ content }) => content);
  return blocks
    .filter(({ type, name }) => type === 'tool_use' && name === 'http_request')
    .flatMap(({ id, input }) => {
      const found = readRef((input as { url: string }).url);
      if (!found) return [];
      const result = blocks.find((block) => block.tool_use_id === id)?.content as string | undefined;
      return [{ ref: `r${found.play}-${found.step}-${found.call}`, result }];
    });
}

function isApproved({ questions }: Export, ref: string): boolean {
  return questions.some(
    ({ confirms, status, outcome }) =>
      JSON.stringify(confirms?.arguments ?? '').includes(ref) &&
      status === 'answered' &&
      outcome?.answers?.q1 === YES,
  );
}
