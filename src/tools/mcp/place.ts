import type { McpServer } from '#contract/agent';
import type { Variables } from '#contract/variables';
import { canonical } from '#core/digest';
import { fillIn, fillInAll, hiding } from '#tools/variables';
import { Address } from './address';
import { Program } from './program';

/** Where a server is, with the variables filled in. */
export interface Place {
  /** The same for all agents that name the same server: they share a connection. */
  key: string;
  /** As the agent's file says it, for people and the model to read. */
  name: string;
  open(): Program | Address;
  /** The text with the values of variables taken out again: a server's words may repeat its secrets. */
  hide(text: string): string;
}

export function placeOf(config: McpServer, variables: Variables): Place {
  const { timeout, tools, ...written } = config;
  const filled = 'url' in written ? filledAddress(written, variables) : filledProgram(written, variables);
  return {
    key: canonical([written, filled]),
    name: 'url' in written ? written.url : written.command,
    open: () => ('url' in filled ? open(filled) : new Program(filled)),
    hide: hiding([JSON.stringify(written)], variables),
  };
}

type Written<T> = T extends unknown ? Omit<T, 'timeout' | 'tools'> : never;
type WrittenAddress = Extract<Written<McpServer>, { url: string }>;
type WrittenProgram = Exclude<Written<McpServer>, { url: string }>;

function filledAddress({ url, headers }: WrittenAddress, variables: Variables): WrittenAddress {
  return { url: fillIn(url, variables), headers: fillInAll(headers, variables) };
}

function filledProgram({ args, env, ...rest }: WrittenProgram, variables: Variables): WrittenProgram {
  return { ...rest, args: args.map((arg) => fillIn(arg, variables)), env: fillInAll(env, variables) };
}

function open({ url, headers }: WrittenAddress): Address {
  return new Address(new URL(url), { requestInit: { headers } });
}
