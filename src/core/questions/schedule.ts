import type { Agent } from '#contract/agent';
import type { Escalation } from '#contract/notification';
import type { OnTimeout, Question } from '#contract/question';
import { type ConversationState, toIsoTime } from '#core/conversation/state';

/** Overrides of the question policy, by a start or by a call. */
export interface QuestionPolicyOverrides {
  timeout?: number | null;
  onTimeout?: OnTimeout;
  remind?: number[];
  escalate?: Escalation[];
  notify?: string[];
}

/** A notification about the open question and its due time. `number` is unique within the question. */
export interface PlannedNotification {
  number: number;
  kind: 'asked' | 'reminder' | 'escalation';
  at: string;
  channel: string;
  what: string;
  /** People it is escalated to; they may answer from then on. */
  to: string[];
  /** Being sent now. */
  sending?: true;
  /** Was being sent when the run continued as new, so it may have been sent already. */
  maybeSent?: true;
}

export interface QuestionDeadline {
  expiresAt: string | null;
  onTimeout: OnTimeout;
}

/** The call's policy overrides the start's, which overrides the agent's. */
export function planDeadline(
  state: ConversationState,
  call: QuestionPolicyOverrides,
  hasDefaults: boolean,
  now: number,
): QuestionDeadline {
  const { timeout, onTimeout: chosen } = mergePolicies(state.agent, state.policy, call);
  const onTimeout = chosen === 'default' && !hasDefaults ? 'continue' : chosen;
  const neverExpires = onTimeout === 'wait' || timeout === null;
  return { expiresAt: neverExpires ? null : toIsoTime(now + timeout), onTimeout };
}

function mergePolicies({ questions }: Agent, start: QuestionPolicyOverrides, call: QuestionPolicyOverrides) {
  const timeouts = [call.timeout, start.timeout, questions.timeout];
  return {
    // `null` means never, and overrides as well.
    timeout: timeouts.find((timeout) => timeout !== undefined) ?? null,
    onTimeout: call.onTimeout ?? start.onTimeout ?? questions.onTimeout,
    remind: call.remind ?? start.remind ?? questions.remind,
    escalate: call.escalate ?? start.escalate ?? questions.escalate,
    notify: call.notify ?? start.notify ?? questions.notify,
  };
}

type NotificationStep = {
  kind: PlannedNotification['kind'];
  after: number;
  what: string;
  destinations: string[];
  to: string[];
};

/** Used if no destination is configured. */
const DEFAULT_DESTINATIONS = ['log'];

/** Plans all notifications of a question, in order. Leaves out what would be due after its deadline. */
export function planNotifications(
  state: ConversationState,
  call: QuestionPolicyOverrides,
  question: Question,
): PlannedNotification[] {
  const { remind, escalate, notify } = mergePolicies(state.agent, state.policy, call);
  const asked = Date.parse(question.askedAt);
  const deadline = question.expiresAt ? Date.parse(question.expiresAt) : Number.POSITIVE_INFINITY;
  const channels = notify.length > 0 ? notify : DEFAULT_DESTINATIONS;
  const reminders = remind.filter((after) => asked + after < deadline).sort((a, b) => a - b);
  const steps: NotificationStep[] = [
    { kind: 'asked' as const, after: 0, what: 'asked', destinations: notify, to: [] },
    ...reminders.map((after, n) => {
      const what = `reminder ${n + 1} of ${reminders.length}`;
      return { kind: 'reminder' as const, after, what, destinations: channels, to: [] };
    }),
    ...escalate.map(({ after, to, notify: destinations = channels }) => {
      return { kind: 'escalation' as const, after, what: `escalated to ${to.join(', ')}`, destinations, to };
    }),
  ];
  return steps
    .filter(({ after }) => asked + after < deadline)
    .sort((a, b) => a.after - b.after)
    .flatMap(({ after, destinations, ...step }) =>
      destinations.map((channel) => ({ ...step, at: toIsoTime(asked + after), channel })),
    )
    .map((notice, number) => ({ number, ...notice }));
}

/** The channel of the callback URL. */
export const WEBHOOK_CHANNEL = 'webhook';

/** Adds the callback, which is notified of every question whatever the policy says. */
export function planCallbackNotification(state: ConversationState): void {
  const { question, notificationPlan: plan = [] } = state;
  if (!question || state.deliveredCopies?.questionId === question.id) return;
  // Also marks the question for an outcome delivery to the callback.
  state.deliveredCopies = { questionId: question.id, copies: [] };
  if (plan.some(({ kind, channel }) => kind === 'asked' && channel === WEBHOOK_CHANNEL)) return;
  const number = Math.max(-1, ...plan.map((notice) => notice.number)) + 1;
  const at = question.askedAt;
  state.notificationPlan = [{ number, kind: 'asked', at, channel: WEBHOOK_CHANNEL, what: 'asked', to: [] }, ...plan];
}

/** Notifications due now. Of several overdue reminders on a channel only the last: one is enough. */
export function dueNotifications(state: ConversationState, now: number): PlannedNotification[] {
  const { question, notificationPlan: plan = [] } = state;
  if (!question || isPast(question.expiresAt, now)) return [];
  const due = plan.filter(({ sending: begun, at }) => !begun && isPast(at, now));
  return due.filter(
    (notice, index) =>
      notice.kind !== 'reminder' ||
      !due.some(
        (later, laterIndex) => laterIndex > index && later.kind === 'reminder' && later.channel === notice.channel,
      ),
  );
}

function isPast(time: string | null, now: number): boolean {
  return time !== null && Date.parse(time) <= now;
}

/** The next time something is due for the open question, and what; `undefined` if nothing is. */
export function nextWakeUp(state: ConversationState): { at: number; what: string } | undefined {
  const { question, notificationPlan: plan = [] } = state;
  if (!question) return undefined;
  // They are sorted, and all are due before the deadline.
  const notice = plan.find(({ sending: begun }) => !begun);
  if (notice) return { at: Date.parse(notice.at), what: capitalize(notice.what) };
  return question.expiresAt ? { at: Date.parse(question.expiresAt), what: 'Deadline' } : undefined;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
