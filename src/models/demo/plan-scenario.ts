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

/** The usual play: ask, have things looked into where there is somebody for it, confirm, conclude. */
export function replyToPlanRequest(scene: DemoState): ScriptedMessage {
  const { called, form, offered } = scene;
  if (called.length === 0) return askFirst(scene);
  const mayGoOn = form?.how === 'answered' || (!form && called.includes(DELEGATE_TOOL));
  if (called.includes(ASK_TOOL) && mayGoOn && scene.subagents.length > 0) return delegateTasks(scene);
  if ((called.includes(ASK_TOOL) || called.includes(DELEGATE_TOOL)) && mayGoOn && offered.has(CONFIRM_TOOL))
    return askConfirmation(scene);
  const settled = [ASK_TOOL, DELEGATE_TOOL, CONFIRM_TOOL].some((tool) => called.includes(tool));
  return settled && offered.has(TODOS_TOOL) ? { calls: createTodoCalls(scene) } : concludePlan(scene);
}

function askFirst(scene: DemoState): ScriptedMessage {
  if (!scene.offered.has(ASK_TOOL)) {
    if (scene.subagents.length > 0) return delegateTasks(scene);
    return scene.offered.has(CONFIRM_TOOL) ? askConfirmation(scene) : concludePlan(scene);
  }
  const { questions, why } = findPlanTemplate(scene.request);
  return {
    text: `Happy to help with “${formatTitle(scene)}”. Two quick questions first, so that it fits.`,
    calls: [...createTodoCalls(scene), { name: ASK_TOOL, input: { questions, context: why } }],
  };
}

/** Two tasks at once: with a single sub-agent it gets both. */
function delegateTasks(scene: DemoState): ScriptedMessage {
  const choices = readChoices(scene);
  const known = [...choices.map(formatBullet), ...formatRemarks(scene)].join('\n');
  const tasks = findPlanTemplate(scene.request).topics(...toTemplateArguments(choices));
  return {
    text: 'Thank you. Two things are worth knowing before anything happens; I have them looked into side by side.',
    calls: [
      ...createTodoCalls(scene),
      ...tasks.map((topic, at) => ({
        name: DELEGATE_TOOL,
        input: {
          agent: scene.subagents[at % scene.subagents.length],
          task: `Research for “${formatTitle(scene)}”: ${topic}\n\nKnown so far:\n${known}\n\nAnswer in a few lines, with what it means for the next step.`,
        },
      })),
    ],
  };
}

function askConfirmation(scene: DemoState): ScriptedMessage {
  const details = [...readChoices(scene).map(formatBullet), ...formatRemarks(scene)].join('\n');
  return {
    text:
      scene.delegations.length > 0
        ? 'That is clear now. One thing before I act on it:'
        : 'Thank you. One thing before I act on it:',
    calls: [
      ...createTodoCalls(scene),
      { name: CONFIRM_TOOL, input: { action: describeAction(scene), details, default: 'No' } },
    ],
  };
}

function concludePlan(scene: DemoState): ScriptedMessage {
  const { result } = findPlanTemplate(scene.request);
  const choices = readChoices(scene);
  const undone = scene.confirmation && !scene.confirmation.confirmed;
  const parts = [
    `## ${formatTitle(scene)}`,
    describeDecision(scene),
    [...choices.map(formatBullet), ...formatRemarks(scene)].join('\n'),
    scene.delegations.length > 0 ? `### What was found\n\n${scene.delegations.map(formatFinding).join('\n\n')}` : '',
    undone ? 'Nothing was started. Tell me what to change and I take it up from here.' : '### How it goes on',
    undone ? '' : result(...toTemplateArguments(choices)),
    DEMO_NOTE,
  ];
  return { text: joinParagraphs(parts) };
}

function formatFinding({ agent, task, result, failed }: DemoDelegatedTask): string {
  const topic = extractTopic(task);
  if (failed) return `**${topic}:** ${agent} could not find out: ${result}`;
  const findings = result
    .replace(DEMO_NOTE, '')
    .replace(/^#+ .*\n+/, '')
    .trim();
  return `**${topic}** (${agent})\n\n${findings}`;
}

function describeDecision(scene: DemoState): string {
  const { form, confirmation } = scene;
  if (confirmation?.confirmed) return `**Confirmed:** ${describeAction(scene)}.`;
  if (confirmation?.how === 'answered') return `**Left undone, as you said no:** ${describeAction(scene)}.`;
  if (confirmation) return `**Left undone, as nobody confirmed it:** ${describeAction(scene)}.`;
  return describeAssumptions(form) || 'This is what I go by:';
}

/** The list as it stands at this point of the play; no call where the tool is not offered. */
function createTodoCalls(scene: DemoState): { name: string; input: unknown }[] {
  if (!scene.offered.has(TODOS_TOOL)) return [];
  const { form, subagents, delegations } = scene;
  const isKnown = form || delegations.length > 0;
  const looking = delegations.length > 0 ? 'completed' : form?.how === 'answered' ? 'in_progress' : 'pending';
  const items = [
    { content: 'Ask what is needed', status: isKnown ? 'completed' : 'in_progress' },
    { content: findPlanTemplate(scene.request).todo, status: isKnown ? 'completed' : 'pending' },
    ...(subagents.length > 0 ? [{ content: 'Have the open points looked into', status: looking }] : []),
    { content: 'Carry it out once it is confirmed', status: executionStatus(scene, looking) },
  ];
  return [{ name: TODOS_TOOL, input: { todos: items } }];
}

function executionStatus({ form, confirmation, offered, subagents }: DemoState, looking: string): string {
  if (confirmation) return confirmation.confirmed ? 'completed' : 'pending';
  if (form?.how !== 'answered' || (subagents.length > 0 && looking !== 'completed')) return 'pending';
  return offered.has(CONFIRM_TOOL) ? 'in_progress' : 'completed';
}

interface Choice {
  header: string;
  words: string[];
  assumed: boolean;
}

function readChoices({ request, form }: DemoState): Choice[] {
  return findPlanTemplate(request).questions.map((field) => {
    const value = form?.answers[field.question];
    return {
      header: field.header,
      words: toAnswerTexts(value ?? field.default),
      assumed: value === undefined,
    };
  });
}

function toTemplateArguments(choices: Choice[]): Parameters<PlanTemplate['action']> {
  return [joinWithAnd(choices[0]?.words ?? []), choices[1]?.words ?? []];
}

function describeAction(scene: DemoState): string {
  return findPlanTemplate(scene.request).action(...toTemplateArguments(readChoices(scene)));
}

function formatBullet({ header, words, assumed }: Choice): string {
  return `- **${header}:** ${joinWithAnd(words)}${assumed ? ' _(assumed)_' : ''}`;
}
