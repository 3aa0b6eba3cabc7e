import { getYamlField, getYamlList } from '#agents/front-matter';
import type { AgentDraft } from '#agents/parse-agent-file';
import { QuestionPolicy } from '#contract/agent';
import type { SchemaIssue } from '#contract/error-messages';
import { AUDIENCE_TOO_LARGE, isIndexableAudience } from '#contract/permissions';
import { FiniteDuration, serializeDuration } from '#contract/time';

/** Finds contradictions within the question policy, as far as it can be parsed. */
export function findQuestionPolicyIssues({ value }: AgentDraft): SchemaIssue[] {
  const policy = getYamlField(value, 'questions');
  return [...findReminderOrderIssues(policy), ...findLateReminderIssues(policy), ...findAudienceIssues(value)];
}

function parseReminders(policy: unknown): (number | undefined)[] {
  return getYamlList(getYamlField(policy, 'remind')).map((entry) => FiniteDuration.safeParse(entry).data);
}

function findReminderOrderIssues(policy: unknown): SchemaIssue[] {
  const reminders = parseReminders(policy);
  return reminders.flatMap((after, index) => {
    const previousMax = Math.max(0, ...reminders.slice(0, index).map((earlier) => earlier ?? 0));
    if (after === undefined || after > previousMax) return [];
    const isRepeat = reminders.indexOf(after) < index;
    const message = isRepeat
      ? 'is listed twice; each reminder is sent once'
      : `must be later than ${serializeDuration(previousMax)}; list reminders in order, such as [4h, 1d]`;
    return [{ path: ['questions', 'remind', index], message }];
  });
}

/** Finds reminders and escalations at or after the timeout: they would never be sent. */
function findLateReminderIssues(policy: unknown): SchemaIssue[] {
  const timeout = QuestionPolicy.shape.timeout.safeParse(getYamlField(policy, 'timeout')).data ?? null;
  if (timeout === null || getYamlField(policy, 'onTimeout') === 'wait') return [];
  const escalations = getYamlList(getYamlField(policy, 'escalate')).map(
    (step) => FiniteDuration.safeParse(getYamlField(step, 'after')).data,
  );
  const message = `is never sent: the question times out after ${serializeDuration(timeout)}; use less, or increase questions.timeout`;
  return [
    ...parseReminders(policy).map((after, index) => ({ after, path: ['questions', 'remind', index] })),
    ...escalations.map((after, index) => ({ after, path: ['questions', 'escalate', index, 'after'] })),
  ].flatMap(({ after, path }) => (after !== undefined && after >= timeout ? [{ path, message }] : []));
}

function findAudienceIssues(value: unknown): SchemaIssue[] {
  const policy = getYamlField(value, 'questions');
  const escalationTargets = getYamlList(getYamlField(policy, 'escalate')).map((step) => getYamlField(step, 'to'));
  const lists = [getYamlField(value, 'visibleTo'), getYamlField(policy, 'assignees'), ...escalationTargets];
  const nameLists = lists.map((list) => (typeof list === 'string' ? [list] : getYamlList(list).map(String)));
  return isIndexableAudience(...nameLists) ? [] : [{ path: ['visibleTo'], message: AUDIENCE_TOO_LARGE }];
}
