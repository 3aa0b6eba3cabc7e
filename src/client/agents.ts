import type { Session } from '#contract/access';
import type { AgentView } from '#contract/agent';
import type { Status } from '#contract/status';
import { type ReadOptions, read } from './request';
import type { Settings } from './settings';

export function agents(settings: Settings) {
  return {
    agents: ({ signal }: ReadOptions = {}) => read<{ items: AgentView[] }>(settings, ['agents'], {}, signal),

    agent: (name: string, { signal }: ReadOptions = {}) =>
      read<AgentView>(settings, ['agents', name], {}, signal),

    /** Who the key stands for, and what it may do. */
    session: ({ signal }: ReadOptions = {}) => read<Session>(settings, ['session'], {}, signal),

    /** What is set up, and what answers. */
    status: ({ signal }: ReadOptions = {}) => read<Status>(settings, ['status'], {}, signal),
  };
}
