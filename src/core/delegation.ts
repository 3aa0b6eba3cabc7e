import type { Agent } from '#contract/agent';
import type { DelegateInput } from '#contract/asking';
import type { Conversation, Links } from '#contract/conversation';
import { audienceBytes } from './audience';
import { clip, jsonBytes } from './json';
import { begin, note, type State } from './state';
import { teamOf } from './team';

/** So many agents may work for one another, the first included. */
export const MAX_DEPTH = 4;
/** More than this wait until these are done. */
export const SIDE_BY_SIDE = 10;
/** What begins together goes to Temporal in one message, of 4 MB at most. */
export const TOGETHER_BYTES = 1_500_000;

/** About what the start of a sub-agent's conversation weighs: the task is in its transcript and its timeline. */
export function startBytes(parent: State, { agent: name, task }: DelegateInput): number {
  const agent = memberOf(parent, name);
  return agent ? jsonBytes([agent, teamUnder(parent, agent)]) + 3 * jsonBytes(task) : 0;
}

function memberOf({ team = {} }: State, name: string): Agent | undefined {
  return Object.hasOwn(team, name) ? team[name] : undefined;
}

/** Of those that were pinned, whom this one can reach in turn. */
function teamUnder(parent: State, agent: Agent): Record<string, Agent> {
  return teamOf(agent, (name) => memberOf(parent, name));
}

/** What a sub-agent's conversation comes to, for whom it worked for. Its state is not handed over: it may be large. */
export interface Report {
  status: Conversation['status'];
  result: string | null;
  error: Conversation['error'];
}

/** Of what a finished conversation left. */
export function isState(left: State | Report): left is State {
  return 'version' in left;
}

const REPORT_LENGTH = 200_000;

export function reportOf({ status, result, error }: State): Report {
  return { status, result: result && clip(result, REPORT_LENGTH), error };
}

/** What the agent's own sub-agents are for, by name. */
export function teamFor(state: State): Record<string, string> {
  const members = (state.agent.subagents ?? []).flatMap((name) => memberOf(state, name) ?? []);
  return Object.fromEntries(members.map(({ name, description }) => [name, description]));
}

/** The conversation of a sub-agent, with the task as its first message. Undefined where there is no such agent. */
export function subConversation(
  parent: State,
  input: DelegateInput,
  id: string,
  now: number,
): State | undefined {
  const agent = memberOf(parent, input.agent);
  if (!agent) return undefined;
  const { metadata, policy, callbackUrl, exports } = parent;
  return begin(
    {
      id,
      agent,
      message: input.task,
      links: linksFor(parent.links, parent.id, id),
      metadata,
      access: accessFor(parent, agent.questions.assignees),
      salt: parent.salt,
      callbackUrl: callbackUrl ?? undefined,
      policy,
      exports,
      team: teamUnder(parent, agent),
      lineage: {
        root: parent.root,
        origin: [...parent.origin, agent.name],
        parent: { conversationId: parent.id, agent: parent.agent.name },
      },
    },
    now,
  );
}

const NAMES_BYTES = 1_800;

/** Who may answer the agent it works for may answer it, too, and whom its own file names. */
function accessFor({ access, salt }: State, own: string[]): State['access'] {
  const assignees = [...new Set([...access.assignees, ...own])];
  const all = { ...access, assignees };
  const bytes =
    salt === undefined
      ? jsonBytes([access.owner, access.visibleTo, assignees])
      : audienceBytes({ access: all, salt });
  return bytes > NAMES_BYTES ? access : all;
}

/** The same addresses, with another id. */
function linksFor(links: Links, from: string, to: string): Links {
  const moved = (link: string, before: string) => {
    const at = link.lastIndexOf(`${before}${from}`);
    return at < 0
      ? link
      : `${link.slice(0, at)}${before}${to}${link.slice(at + before.length + from.length)}`;
  };
  const { self, events, web, temporal } = links;
  const CONVERSATIONS = '/conversations/';
  return {
    self: moved(self, CONVERSATIONS),
    events: moved(events, CONVERSATIONS),
    web: moved(web, CONVERSATIONS),
    temporal: moved(temporal, '/workflows/'),
  };
}

/** They have begun: whoever reads the timeline finds the way to them. */
export function noteDelegations(state: State, subs: State[], now: number): void {
  state.delegated = subs.map(({ id, agent }) => ({ agent: agent.name, conversationId: id }));
  for (const { id, agent } of subs) {
    note(state, { kind: 'notice', channel: 'delegate', what: `${agent.name} works on a task in ${id}` }, now);
  }
}

/** What the one who delegated hears. */
export function heardOf(agent: string, report: Report | undefined): { result: string } | { error: string } {
  if (!report) return { error: `The sub-agent ${agent} left no result that could be read.` };
  if (report.status === 'completed')
    return { result: report.result || `${agent} is done, and said nothing.` };
  const why = report.error ? `: ${report.error.message}` : '.';
  return { error: `The sub-agent ${agent} did not finish (${report.status})${why}` };
}
