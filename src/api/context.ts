import type { Agents } from '../agents/read-agents';
import type { Gateway } from './gateway';
import type { LinksOf } from './reading';

/** What the routes need, handed in by whoever starts the API. */
export interface Context {
  gateway: Gateway;
  agents: Agents;
  linksOf: LinksOf;
  secret: string;
  now(): number;
}
