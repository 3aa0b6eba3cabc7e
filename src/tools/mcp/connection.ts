import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import type { Limits } from './limits';
import { type Link, type Linking, link } from './link';
import { type Listed, listTools } from './listing';
import type { Place } from './place';
import { toolList } from './tool-list';
import { isBroken, isTimeout, Unreachable } from './trouble';

export interface Bounds {
  /** Without a result or a word of progress. */
  timeout: number;
  signal: AbortSignal;
}

/** A connection to a server, shared by all who use it. */
export interface Connection {
  /** One that broke is not used again. */
  isOpen(): boolean;
  tools(): Promise<Listed[]>;
  call(tool: Listed, input: Record<string, unknown>, bounds: Bounds): Promise<CallToolResult>;
  reason(error: unknown): Promise<string>;
  end(): Promise<void>;
}

export async function connect(place: Place, linking: Linking): Promise<Connection> {
  const { limits } = linking;
  const made = await link(place, linking, () => list.outdate());
  const { client, reason, end } = made;
  const list = toolList(() => listTools(client, AbortSignal.timeout(limits.connect)), limits.fresh);
  return {
    ...caller(made, limits),
    reason,
    end,
    async tools() {
      try {
        return await list.get();
      } catch (error) {
        const why = await reason(error);
        void end();
        throw new Unreachable(why);
      }
    },
  };
}

function caller({ client, isOpen, end }: Link, limits: Limits): Pick<Connection, 'isOpen' | 'call'> {
  let isUsable = true;
  let underWay = 0;
  /** A server that is silent even to a ping hangs: the next call gets a new one. */
  const endIfHanging = async () => {
    const isSilent = await client.ping({ timeout: limits.connect }).then(() => false, isTimeout);
    if (isSilent && underWay === 0) await end();
  };
  return {
    isOpen: () => isUsable && isOpen(),
    async call(tool, input, { timeout, signal }) {
      underWay += 1;
      try {
        return await callTool(client, tool, input, { timeout, signal }, limits.call);
      } catch (error) {
        if (isBroken(error)) isUsable = false;
        if (isTimeout(error) && !signal.aborted) void endIfHanging();
        throw error;
      } finally {
        underWay -= 1;
        // Others may have calls under way that go well.
        if (!isUsable && underWay === 0) void end();
      }
    },
  };
}

function callTool(
  client: Client,
  { name, inputSchema }: Listed,
  input: Record<string, unknown>,
  { timeout, signal }: Bounds,
  most: number,
): Promise<CallToolResult> {
  return client.callTool(
    { name, arguments: input },
    {
      timeout,
      resetTimeoutOnProgress: true,
      onprogress: () => undefined,
      signal: AbortSignal.any([signal, AbortSignal.timeout(most)]),
      // Without its output schema: a tool that has run is not said to have failed because its result looks odd.
      toolDefinition: { name, inputSchema: { ...inputSchema, type: 'object' } },
    },
  );
}
