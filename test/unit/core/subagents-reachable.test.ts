import type { Agent } from '#contract/agent';
import { collectSubagents } from '#core/subagents';
import { testAgent } from '#test/support/core/conversation-fixture';

const agents = (subagents: Record<string, string[]>): ReadonlyMap<string, Agent> =>
  new Map(Object.entries(subagents).map(([name, list]) => [name, { ...testAgent(), name, subagents: list }]));

describe('the agents that an agent can reach', () => {
  it.each<[string, Record<string, string[]>, string[]]>([
    ['none, without sub-agents', { a: [], b: ['a'] }, []],
    ['its sub-agents and theirs', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [], e: ['a'] }, ['b', 'd', 'c']],
    ['itself too, if they lead back to it', { a: ['b'], b: ['a'] }, ['b', 'a']],
    ['not unknown agents', { a: ['b', 'ghost'], b: [] }, ['b']],
  ])('are %s', (_what, given, names) => {
    const all = agents(given);
    const team = collectSubagents(all.get('a') as Agent, (name) => all.get(name));
    expect(Object.keys(team).sort()).toEqual([...names].sort());
    for (const name of names) expect(team[name]).toBe(all.get(name));
  });
});
