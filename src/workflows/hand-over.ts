import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { Agent } from '#contract/agent';
import type { Message } from '#core/state';

/** A call of the model: how many messages it reads, and the last entry then, since a message may have been added to. */
export interface ModelTurn {
  messages: number;
  at: number;
  /** How often room was made for it before: what it reads then differs, though it be as many messages. */
  times?: number;
}

/** A call of the model for a summary of those messages. */
export interface SummaryTurn extends ModelTurn {
  /** The most that it may read, in bytes, and write, in tokens. */
  most: number;
  maxTokens: number;
  /** So much of what people said is kept nowhere else from now on. */
  lost: number;
}

/** What a call of the model reads. */
export interface Reading {
  agent: Agent;
  messages: Message[];
  /** What its sub-agents are for, by name. */
  team?: Record<string, string>;
}

/**
 * Hands what the model will read to the worker this run is on, which mostly runs the call too: then it need not ask
 * by query. Leaves no event, and nothing depends on it.
 */
export interface HandOver extends Sinks {
  transcripts: { handOver(call: ModelTurn, reading: Reading): void };
}

export const { transcripts } = proxySinks<HandOver>();
