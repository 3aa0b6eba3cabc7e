import type { Agents } from '../agents/read-agents';
import type { Gateway } from './gateway';
import type { HookSecrets } from './hook-secrets';
import type { Live } from './live/live';
import type { LinksOf } from './reading';

/** What the routes need, handed in by whoever starts the API. */
export interface Context {
  /** Where the API is to be reached, with no slash at the end. */
  url: string;
  gateway: Gateway;
  live: Live;
  agents: Agents;
  /** Of every agent, by name. */
  tools: readonly string[];
  hookSecrets: HookSecrets;
  linksOf: LinksOf;
  secret: string;
  now(): number;
}
