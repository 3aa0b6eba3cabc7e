import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { Agent } from '../contract/agent';
import type { Message } from '../core/state';

/** What a call of the model reads, at that many messages. */
export interface Reading {
  agent: Agent;
  messages: Message[];
}

/**
 * Hands what the model will read to the worker this run is on, which mostly runs the call too: then it need not ask
 * by query. Leaves no event, and nothing depends on it.
 */
export interface HandOver extends Sinks {
  transcripts: { handOver(messages: number, reading: Reading): void };
}

export const { transcripts } = proxySinks<HandOver>();
