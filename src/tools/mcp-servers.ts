import type { McpServers } from './mcp';
import type { Variables } from './variables';

export function createMcpServers(_settings: { variables: Variables }): McpServers {
  return {
    offer: async () => ({ tools: [], unreachable: [] }),
    call: () => Promise.reject(new Error('not here yet')),
    close: async () => undefined,
  };
}
