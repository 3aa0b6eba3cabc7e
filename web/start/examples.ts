/** What the agents that ship can be tried with. */
const EXAMPLES: Record<string, string[]> = {
  assistant: ['Plan our team offsite', 'Migrate the database'],
  'deploy-captain': ['Deploy release 2.4 of the shop'],
  researcher: ['Find out what a backup takes'],
};

const SHIPPED = ['assistant', 'deploy-captain', 'intake', 'researcher'];

/** None where the agents are somebody's own: one of them may have the same name and another trade. */
export function examplesFor(agent: string, names: readonly string[]): string[] {
  const isShipped = SHIPPED.every((name) => names.includes(name));
  return isShipped && Object.hasOwn(EXAMPLES, agent) ? (EXAMPLES[agent] ?? []) : [];
}
