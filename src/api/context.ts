import type { Agents } from '../agents/read-agents';
import type { Gateway } from './gateway';
import type { Live } from './live/live';
import type { LinksOf } from './reading';

/** What the routes need, handed in by whoever starts the API. */
export interface Context {
  gateway: Gateway;
  live: Live;
  agents: Agents;
  linksOf: LinksOf;
  secret: string;
  now(): number;
}
