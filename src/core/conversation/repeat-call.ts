import { approvalNote, findApproverComment, isHumanResult } from '#core/questions/tool-results';
import { needsConfirmation } from '#core/tools/grants';
import { findStoredResultMarker } from '#core/tools/stored-result-marker';
import { isThinking } from '#core/transcript/prefix';
import { maxReplyTokens, replaceTranscript } from '#core/transcript/token-budget';
import { appendUserContent, type ContentBlock, type ToolResultBlock } from '#core/transcript/transcript';
import { toolNamesById } from '#core/transcript/trim-results';
import type { ModelReply } from './advance';
import { addTimelineEntry, type ConversationState } from './state';

/** Why a call gave no reply that counts, although a different one may. */
export type RepeatReason = 'rejectedHistory' | 'refused' | 'cutOffThinking';

/** Changes what the next call sends, once per reason, and says so in the timeline. False if nothing is left to try. */
export function prepareRepeat(state: ConversationState, { repeat, error }: ModelReply, now: number): boolean {
  const what = repeat && CHANGES[repeat](state, error?.message ?? '');
  if (!what) return false;
  addTimelineEntry(state, { kind: 'notice', channel: 'model', what }, now);
  return true;
}

/** Each changes the state and tells people, or returns `undefined` if the call was changed already. */
const CHANGES: Record<RepeatReason, (state: ConversationState, error: string) => string | undefined> = {
  rejectedHistory(state) {
    // Dropping thinking pins the prefix anew too, so that nothing has to be told.
    if (!state.prefix && !state.transcript.some(({ content }) => content.some(isThinking))) return undefined;
    replaceTranscript(state, state.transcript, state.contextUsage?.lastReduction);
    return 'The model’s earlier thinking is no longer accepted. Continued without it; everything else is kept.';
  },
  refused(state, error) {
    const { fallbackModel } = state.agent;
    if (!fallbackModel || state.override?.model) return void withholdNewestMessage(state);
    state.override = { model: fallbackModel };
    return `${error} ${fallbackModel} replies instead.`;
  },
  cutOffThinking(state) {
    if (state.override?.maxTokens) return undefined;
    const maxTokens = maxReplyTokens(state.agent);
    state.override = { ...state.override, maxTokens: Math.max(maxTokens, Math.min(2 * maxTokens, MAX_REPLY_TOKENS)) };
    appendUserContent(state, [{ type: 'text', text: THINK_LESS }]);
    return 'The reply was cut off while the model was still thinking. Tried once more, with more room.';
  },
};

/** What today's models write at most. */
const MAX_REPLY_TOKENS = 128_000;
const THINK_LESS =
  '[Parley: your reply reached its length limit while you were still thinking, and was lost. Think less this time.]';

/** Extra room is for one call. */
export function endExtraRoom(state: ConversationState): void {
  const { model } = state.override ?? {};
  if (model) state.override = { model };
  else delete state.override;
}

const REFUSED = 'since the model refused to reply to it';
const WITHHELD = `[Parley: this was left out, ${REFUSED}.]`;

/**
 * Sent again, what the model refused would be refused again, whatever the person writes next. Keeps what people
 * answered, unless there is nothing else, and that calls were made: the model must not repeat them.
 */
function withholdNewestMessage(state: ConversationState): void {
  const [newest] = state.transcript.slice(-1);
  if (newest?.role !== 'user') return;
  const names = toolNamesById(state.transcript);
  const content = newest.content.map((block): ContentBlock => {
    if (block.type !== 'tool_result') return { type: 'text', text: WITHHELD };
    const name = names.get(block.tool_use_id) ?? '';
    return isHumanResult(state.agent, name, block) ? block : { ...block, content: withheldNote(state, name, block) };
  });
  const isUnchanged = content.every((block, index) => block === newest.content[index]);
  const withheld = isUnchanged ? content.map((block) => ({ ...block, content: WITHHELD })) : content;
  state.transcript = [...state.transcript.slice(0, -1), { role: 'user', content: withheld }];
}

function withheldNote({ agent }: ConversationState, name: string, result: ToolResultBlock): string {
  const { content, is_error } = result;
  const made = is_error
    ? 'The call ended with an error; it may have had an effect.'
    : 'The call was run: do not repeat it.';
  const note = needsConfirmation(agent, name) ? approvalNote(result) : made;
  const marker = findStoredResultMarker(content);
  const leftOut = `[Parley: this result of ${name} was left out, ${REFUSED}. ${note}]`;
  return `${marker ? `${marker}\n` : ''}${leftOut}${findApproverComment(content)}`;
}
