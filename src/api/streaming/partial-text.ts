import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { PollLoop, UNTIL_WOKEN } from './poll-loop';

/** A model call in progress. */
export interface ModelCallInProgress {
  run: Execution;
  id: string;
}

/** Polls the text that the model is writing, from the heartbeats of the current model call. */
export class PartialTextPoller {
  private readonly loop: PollLoop;
  private call: ModelCallInProgress | undefined;
  private generation = 0;

  constructor(
    private readonly gateway: TemporalGateway,
    private readonly pollMs: number,
    private readonly onText: (text: string) => void,
  ) {
    this.loop = new PollLoop(() => this.poll());
  }

  start(): void {
    void this.loop.run();
  }

  stop(): void {
    this.loop.stop();
  }

  /** Sets the model call to poll, or none. Returns false if it is unchanged. */
  track(call: ModelCallInProgress | undefined): boolean {
    if (call?.id === this.call?.id && call?.run.runId === this.call?.run.runId) return false;
    this.call = call;
    this.invalidate();
    this.loop.wake();
    return true;
  }

  /** Discards the result of a poll in flight, because the conversation has moved on. */
  invalidate(): void {
    this.generation += 1;
  }

  private async poll(): Promise<number> {
    const { call, generation } = this;
    if (!call) return UNTIL_WOKEN;
    const activities = await this.gateway.pendingActivities(call.run);
    const activity = activities.find(({ id }) => id === call.id);
    const heartbeat = activity?.heartbeat as { text?: unknown } | null | undefined;
    if (activity && this.generation === generation)
      this.onText(typeof heartbeat?.text === 'string' ? heartbeat.text : '');
    return this.pollMs;
  }
}
