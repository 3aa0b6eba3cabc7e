import {
  ASK_TOOL,
  CONFIRM_TOOL,
  DELEGATE_TOOL,
  type DemoDelegatedTask,
  type DemoState,
  TODOS_TOOL,
} from './demo-state';
import { findPlanTemplate, type PlanTemplate } from './plan-templates';
import type { ScriptedMessage } from './reply';
import {
  DEMO_NOTE,
  describeAssumptions,
  extractTopic,
  formatRemarks,
  formatTitle,
  joinParagraphs,
  joinWithAnd,
  toAnswerTexts,
} from './reply-text';

/** The default scenario: ask, delegate research if there are sub-agents, confirm, conclude. */
export function replyToPlanRequest(state: DemoState): ScriptedMessage {
  const { lastCalledTools, form, availableTools } = state;
  if (lastCalledTools.length === 0) return askFirst(state);
  const canProceed = form?.status === 'answered' || (!form && lastCalledTools.includes(DELEGATE_TOOL));
  if (lastCalledTools.includes(ASK_TOOL) && canProceed && state.subagents.length > 0) return delegateTasks(state);
  if (
    (lastCalledTools.includes(ASK_TOOL) || lastCalledTools.includes(DELEGATE_TOOL)) &&
    canProceed &&
    availableTools.has(CONFIRM_TOOL)
  )
    return askConfirmation(state);
  const hasNewResults = [ASK_TOOL, DELEGATE_TOOL, CONFIRM_TOOL].some((tool) => lastCalledTools.includes(tool));
  return hasNewResults && availableTools.has(TODOS_TOOL) ? { calls: createTodoCalls(state) } : concludePlan(state);
}

function askFirst(state: DemoState): ScriptedMessage {
  if (!state.availableTools.has(ASK_TOOL)) {
    if (state.subagents.length > 0) return delegateTasks(state);
    return state.availableTools.has(CONFIRM_TOOL) ? askConfirmation(state) : concludePlan(state);
  }
  const { questions, context } = findPlanTemplate(state.request);
  return {
    text: `Happy to help with “${formatTitle(state)}”. Two quick questions first.`,
    calls: [...createTodoCalls(state), { name: ASK_TOOL, input: { questions, context } }],
  };
}

/** Delegates two tasks at once; a single sub-agent gets both. */
function delegateTasks(state: DemoState): ScriptedMessage {
  const choices = readChoices(state);
  const knownFacts = [...choices.map(formatBullet), ...formatRemarks(state)].join('\n');
  const tasks = findPlanTemplate(state.request).topics(...toTemplateArguments(choices));
  return {
    text: "I'm checking two things in parallel before we start.",
    calls: [
      ...createTodoCalls(state),
      ...tasks.map((topic, index) => ({
        name: DELEGATE_TOOL,
        input: {
          agent: state.subagents[index % state.subagents.length],
          task: `Research for “${formatTitle(state)}”: ${topic}\n\nKnown so far:\n${knownFacts}\n\nAnswer in a few lines, and say what it means for the next step.`,
        },
      })),
    ],
  };
}

function askConfirmation(state: DemoState): ScriptedMessage {
  const details = [...readChoices(state).map(formatBullet), ...formatRemarks(state)].join('\n');
  return {
    text:
      state.delegations.length > 0
        ? 'The research is done. Please confirm before I continue:'
        : 'Thanks. Please confirm before I continue:',
    calls: [
      ...createTodoCalls(state),
      { name: CONFIRM_TOOL, input: { action: describeAction(state), details, default: 'No' } },
    ],
  };
}

function concludePlan(state: DemoState): ScriptedMessage {
  const { result } = findPlanTemplate(state.request);
  const choices = readChoices(state);
  const isNotConfirmed = state.confirmation && !state.confirmation.confirmed;
  const parts = [
    `## ${formatTitle(state)}`,
    describeDecision(state),
    [...choices.map(formatBullet), ...formatRemarks(state)].join('\n'),
    state.delegations.length > 0 ? `### Findings\n\n${state.delegations.map(formatFinding).join('\n\n')}` : '',
    isNotConfirmed ? "Nothing was started. Tell me what to change and I'll continue." : '### Next steps',
    isNotConfirmed ? '' : result(...toTemplateArguments(choices)),
    DEMO_NOTE,
  ];
  return { text: joinParagraphs(parts) };
}

function formatFinding({ agent, task, result, failed }: DemoDelegatedTask): string {
  const topic = extractTopic(task);
  if (failed) return `**${topic}:** ${agent} could not complete this: ${result}`;
  const findings = result
    .replace(DEMO_NOTE, '')
    .replace(/^#+ .*\n+/, '')
    .trim();
  return `**${topic}** (${agent})\n\n${findings}`;
}

function describeDecision(state: DemoState): string {
  const { form, confirmation } = state;
  if (confirmation?.confirmed) return `**Confirmed:** ${describeAction(state)}.`;
  if (confirmation?.status === 'answered') return `**Not done, because you said no:** ${describeAction(state)}.`;
  if (confirmation) return `**Not done, because it was not confirmed:** ${describeAction(state)}.`;
  return describeAssumptions(form) || 'Based on your answers:';
}

/** Returns the to-do list for this point of the scenario; no call if the tool is not available. */
function createTodoCalls(state: DemoState): { name: string; input: unknown }[] {
  if (!state.availableTools.has(TODOS_TOOL)) return [];
  const { form, subagents, delegations } = state;
  const hasAnswers = form || delegations.length > 0;
  const researchStatus = delegations.length > 0 ? 'completed' : form?.status === 'answered' ? 'in_progress' : 'pending';
  const items = [
    { content: 'Ask for the details', status: hasAnswers ? 'completed' : 'in_progress' },
    { content: findPlanTemplate(state.request).todo, status: hasAnswers ? 'completed' : 'pending' },
    ...(subagents.length > 0 ? [{ content: 'Research the open points', status: researchStatus }] : []),
    { content: 'Carry it out after confirmation', status: executionStatus(state, researchStatus) },
  ];
  return [{ name: TODOS_TOOL, input: { todos: items } }];
}

function executionStatus({ form, confirmation, availableTools, subagents }: DemoState, researchStatus: string): string {
  if (confirmation) return confirmation.confirmed ? 'completed' : 'pending';
  if (form?.status !== 'answered' || (subagents.length > 0 && researchStatus !== 'completed')) return 'pending';
  return availableTools.has(CONFIRM_TOOL) ? 'in_progress' : 'completed';
}

interface Choice {
  header: string;
  answers: string[];
  isAssumed: boolean;
}

function readChoices({ request, form }: DemoState): Choice[] {
  return findPlanTemplate(request).questions.map((field) => {
    const value = form?.answers[field.question];
    return {
      header: field.header,
      answers: toAnswerTexts(value ?? field.default),
      isAssumed: value === undefined,
    };
  });
}

function toTemplateArguments(choices: Choice[]): Parameters<PlanTemplate['action']> {
  return [joinWithAnd(choices[0]?.answers ?? []), choices[1]?.answers ?? []];
}

function describeAction(state: DemoState): string {
  return findPlanTemplate(state.request).action(...toTemplateArguments(readChoices(state)));
}

function formatBullet({ header, answers, isAssumed }: Choice): string {
  return `- **${header}:** ${joinWithAnd(answers)}${isAssumed ? ' _(assumed)_' : ''}`;
}
