import type { Agent } from '#contract/agent';
import type { Conversation, ConversationLinks } from '#contract/conversation';
import type { DelegateInput } from '#contract/tool-inputs';
import { addTimelineEntry, type ConversationState, createConversationState } from './conversation/state';
import { jsonBytes, truncateText } from './json';
import { audienceBytes } from './search-attributes';

/** Maximum depth of delegation, including the first agent. */
export const MAX_SUBAGENT_DEPTH = 4;
/** Further delegations wait until these are done. */
export const MAX_PARALLEL_SUBAGENTS = 10;
/** Sub-agents that start together go to Temporal in one request, which is limited to 4 MB. */
export const MAX_START_BATCH_BYTES = 1_500_000;

/** Approximate size of a sub-agent's start. The task counts three times: input, transcript and timeline. */
export function subagentStartBytes(parent: ConversationState, { agent: name, task }: DelegateInput): number {
  const agent = findSubagent(parent, name);
  return agent ? jsonBytes([agent, reachableSubagents(parent, agent)]) + 3 * jsonBytes(task) : 0;
}

function findSubagent({ subagentDefinitions = {} }: ConversationState, name: string): Agent | undefined {
  return Object.hasOwn(subagentDefinitions, name) ? subagentDefinitions[name] : undefined;
}

/** The definitions that this agent can reach in turn. */
function reachableSubagents(parent: ConversationState, agent: Agent): Record<string, Agent> {
  return collectSubagents(agent, (name) => findSubagent(parent, name));
}

/** What a sub-agent returns to its parent. Not its state, which may be large. */
export interface SubagentReport {
  status: Conversation['status'];
  result: string | null;
  error: Conversation['error'];
}

/** Tells the result of a conversation from that of a sub-agent. */
export function isConversationState(result: ConversationState | SubagentReport): result is ConversationState {
  return 'version' in result;
}

const MAX_REPORT_LENGTH = 200_000;

export function buildSubagentReport({ status, result, error }: ConversationState): SubagentReport {
  return { status, result: result && truncateText(result, MAX_REPORT_LENGTH), error };
}

/** Descriptions of the agent's sub-agents, by name. */
export function describeSubagents(state: ConversationState): Record<string, string> {
  const members = state.agent.subagents.flatMap((name) => findSubagent(state, name) ?? []);
  return Object.fromEntries(members.map(({ name, description }) => [name, description]));
}

/** A sub-agent's conversation, with the task as its first message; undefined if there is no such agent. */
export function createSubagentConversation(
  parent: ConversationState,
  input: DelegateInput,
  id: string,
  now: number,
): ConversationState | undefined {
  const agent = findSubagent(parent, input.agent);
  if (!agent) return undefined;
  const { metadata, policy, callbackUrl, exportOnEnd } = parent;
  const budgetPath = parent.budget ? [parent.id] : parent.budgetPath && [...parent.budgetPath, parent.id];
  return createConversationState(
    {
      id,
      agent,
      message: input.task,
      links: subagentLinks(parent.links, parent.id, id),
      metadata,
      access: subagentAccess(parent, agent.questions.assignees),
      salt: parent.salt,
      callbackUrl: callbackUrl ?? undefined,
      policy,
      exportOnEnd,
      subagentDefinitions: reachableSubagents(parent, agent),
      lineage: {
        root: parent.root,
        origin: [...parent.origin, agent.name],
        parent: { conversationId: parent.id, agent: parent.agent.name },
        budgetPath,
      },
      // The outermost budget counts, since it is what a person set for the whole task.
      budget: budgetPath ? undefined : agent.budget,
      modelRates: parent.modelRates,
    },
    now,
  );
}

const MAX_NAMES_BYTES = 1_800;

/** The parent's assignees can answer the sub-agent's questions, as can those in its own file. */
function subagentAccess({ access, salt }: ConversationState, names: string[]): ConversationState['access'] {
  const assignees = [...new Set([...access.assignees, ...names])];
  const widened = { ...access, assignees };
  const bytes =
    salt === undefined
      ? jsonBytes([access.owner, access.visibleTo, assignees])
      : audienceBytes({ access: widened, salt });
  return bytes > MAX_NAMES_BYTES ? access : widened;
}

/** The parent's links with another conversation id. */
function subagentLinks(links: ConversationLinks, from: string, to: string): ConversationLinks {
  const replaceId = (link: string, before: string) => {
    const index = link.lastIndexOf(`${before}${from}`);
    return index < 0 ? link : `${link.slice(0, index)}${before}${to}${link.slice(index + before.length + from.length)}`;
  };
  const { self, events, web, temporal } = links;
  const CONVERSATIONS = '/conversations/';
  return {
    self: replaceId(self, CONVERSATIONS),
    events: replaceId(events, CONVERSATIONS),
    web: replaceId(web, CONVERSATIONS),
    temporal: replaceId(temporal, '/workflows/'),
  };
}

/** Records the sub-agents and links to them from the timeline. */
export function recordDelegations(state: ConversationState, subagents: ConversationState[], now: number): void {
  state.openSubagents = subagents.map(({ id, agent }) => ({ agent: agent.name, conversationId: id }));
  for (const { id, agent, title } of subagents) {
    addTimelineEntry(
      state,
      { kind: 'notice', channel: 'delegate', what: `Started sub-agent ${agent.name}: “${title}” in ${id}` },
      now,
    );
  }
}

/** The tool result that the parent's model reads. */
export function subagentToolResult(
  agent: string,
  report: SubagentReport | undefined,
): { result: string } | { error: string } {
  if (!report) return { error: `The result of sub-agent ${agent} could not be read.` };
  if (report.status === 'completed')
    return { result: report.result || `Sub-agent ${agent} finished without a result.` };
  const why = report.error ? `: ${report.error.message}` : '.';
  return { error: `Sub-agent ${agent} did not finish (${report.status})${why}` };
}

/** Every agent reachable by delegation. A conversation keeps these definitions from its start. */
export function collectSubagents(agent: Agent, find: (name: string) => Agent | undefined): Record<string, Agent> {
  const found = new Map<string, Agent>();
  const collect = ({ subagents }: Agent): void => {
    for (const name of subagents) {
      const next = find(name);
      if (!next || found.has(name)) continue;
      found.set(name, next);
      collect(next);
    }
  };
  collect(agent);
  return Object.fromEntries(found);
}
