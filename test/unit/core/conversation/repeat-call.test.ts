import { applyModelReply } from '#core/conversation/advance';
import type { ConversationState } from '#core/conversation/state';
import { formatApproverComment } from '#core/questions/tool-results';
import { storedResultMarker } from '#core/tools/stored-result-marker';
import { type PinnedPrefix, preparePrompt } from '#core/transcript/prefix';
import { createToolResult, type ToolResultBlock } from '#core/transcript/transcript';
import {
  modelReply,
  START_TIME,
  startedConversation,
  testAgent,
  toolUse,
} from '#test/support/core/conversation-fixture';

/** The results of these calls as the model reads them after it refused to reply to them. */
function resultsAfterRefusal(...results: (ToolResultBlock & { name: string })[]): ToolResultBlock[] {
  const state: ConversationState = startedConversation({
    agent: { ...testAgent(), tools: [{ name: 'look_up' }, { name: 'dig', requiresConfirmation: true }] },
  });
  const calls = results.map(({ tool_use_id, name }) => toolUse(tool_use_id, name, {}));
  state.transcript.push({ role: 'assistant', content: calls });
  state.transcript.push({ role: 'user', content: results.map(({ name: _, ...result }) => result) });
  const error = { code: 'model_refused', message: 'Refused.' };
  applyModelReply(state, { ...modelReply([]), repeat: 'refused', error }, START_TIME);
  return state.transcript.at(-1)?.content as ToolResultBlock[];
}

const result = (name: string, content: string, isError = false) => ({
  ...createToolResult(`call of ${name}`, content, isError),
  name,
});
const answer = result('ask_user_question', '{"answers":{"Which colour?":"Red"}}');

describe('results that the model refused to reply to', () => {
  it('are left out, but it still reads that the calls were made, so that it does not repeat them', () => {
    const [transferred] = resultsAfterRefusal(result('look_up', 'Transferred $500, receipt 17'));
    expect(transferred?.content).toBe(
      '[Parley: this result of look_up was left out, since the model refused to reply to it. The call was run: do not repeat it.]',
    );
    const [failed] = resultsAfterRefusal(result('look_up', 'The connection broke', true));
    expect(failed).toMatchObject({ is_error: true, content: expect.stringContaining('it may have had an effect') });
  });

  it('keep where they are stored, that a person approved the call, and the comment', () => {
    const marker = storedResultMarker('r-0123456789ab', 3_000_000);
    const comment = formatApproverComment('Only there.');
    const [dug] = resultsAfterRefusal(result('dig', `${marker}\nA bone${comment}`));
    expect(dug?.content.startsWith(marker)).toBe(true);
    expect(dug?.content).toContain('A person approved this call, and it was run.');
    expect(dug?.content.endsWith(comment)).toBe(true);
    expect(dug?.content).not.toContain('A bone');
  });

  it('keep what people answered, unless there is nothing else to leave out', () => {
    const [kept, other] = resultsAfterRefusal(answer, result('look_up', 'Blood'));
    expect([kept?.content, other?.content]).toEqual([answer.content, expect.not.stringContaining('Blood')]);
    expect(resultsAfterRefusal(answer)[0]?.content).toBe(
      '[Parley: this was left out, since the model refused to reply to it.]',
    );
  });
});

const prefix = { system: 'Be brief.', status: '', tools: [] };
const pins: (PinnedPrefix | undefined)[] = [undefined, { digest: 'sha256:other' }, prefix];

it.each(pins.flatMap((pinned) => [true, false].map((canAppend) => ({ pinned, canAppend }))))(
  'a fallback model leaves the prefix of the agent’s own model pinned: $pinned, $canAppend',
  ({ pinned, canAppend }) => {
    const state = { ...startedConversation(), prefix: pinned, override: { model: 'claude-sonnet-5-5' } };
    const { update } = preparePrompt({ ...prefix, system: 'Be kind.' }, pinned, state.transcript, canAppend);
    applyModelReply(state, { ...modelReply(['Hi']), prefix: update }, START_TIME);
    expect(state.prefix).toEqual(pinned);
  },
);
