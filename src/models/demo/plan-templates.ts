import { joinWithAnd } from './reply-text';

/** The demo's texts for one kind of request. `choice` and `choices` are the answers to its two questions, as text. */
export interface PlanTemplate {
  keywords: RegExp;
  context: string;
  questions: [DemoQuestion, DemoQuestion];
  todo: string;
  /** Two topics for the sub-agents to research first. */
  topics(choice: string, choices: string[]): [string, string];
  action(choice: string, choices: string[]): string;
  result(choice: string, choices: string[]): string;
}

export interface DemoQuestion {
  question: string;
  header: string;
  options: { label: string; description: string }[];
  multiSelect: boolean;
  allowOther: true;
  default: string | string[];
}

const eventPlan: PlanTemplate = {
  keywords:
    /\b(trips?|off-?sites?|events?|part(y|ies)|holidays?|travel|conferences?|meet-?ups?|workshops?|dinner|lunch|wedding|birthday|retreat|visit|weekend)\b/i,
  context:
    'These two choices shape the rest of the plan:\n\n- the **place** determines budget and travel\n- the **programme** determines how long you need',
  questions: [
    createSingleChoice('Place', 'What kind of place suits the group?', 'Countryside', {
      'City centre': 'Short journeys and plenty of restaurants',
      Countryside: 'Quiet, with room to think; needs a bus',
      Seaside: 'Fresh air, slightly longer journey',
    }),
    createMultipleChoice('Programme', 'What should the programme include?', ['Workshops', 'Team dinner'], {
      Workshops: 'Half a day in small groups',
      'Team dinner': 'One long table, one evening',
      'Outdoor activity': 'A hike, a boat trip or a climbing wall',
      'Free time': 'An afternoon with nothing planned',
    }),
  ],
  todo: 'Choose the place and the programme',
  topics: (choice, choices) => [
    `what ${choice} costs for a group, and how to get there.`,
    `what goes wrong with ${joinWithAnd(choices)}, and how to prepare for it.`,
  ],
  action: (choice, choices) =>
    `Send the invitation: ${choice} as the place, with ${joinWithAnd(choices)} on the programme`,
  result: (choice, choices) =>
    numberSteps([
      `Shortlist three venues that fit **${choice}** and ask each for two dates.`,
      ...choices.map((item) => `Give **${item}** a fixed slot and an owner.`),
      'Ask for dietary needs, allergies and arrival times in the invitation.',
    ]),
};

const softwarePlan: PlanTemplate = {
  keywords:
    /\b(software|deploy\w*|databases?|db|migrat\w+|releases?|servers?|upgrad\w+|refactor\w*|bugs?|code|apis?|apps?|website|infrastructure|kubernetes|postgres\w*|roll-?out)\b/i,
  context:
    'Changes like this usually fail in two places:\n\n- during the **switchover**, while old and new run side by side\n- afterwards, if there is **no rollback**',
  questions: [
    createSingleChoice('Roll-out', 'How should the change go live?', 'Canary', {
      Canary: 'A small share of traffic first, then the rest',
      'Blue-green': 'A second environment; all traffic switches at once',
      'Maintenance window': 'An hour of downtime at night',
    }),
    createMultipleChoice('Safeguards', 'What must be in place before it starts?', ['Backup', 'Rollback script'], {
      Backup: 'Taken, with a tested restore',
      'Dry run on a copy': 'The full change on last night’s data',
      'Rollback script': 'One command, tested',
      Announcement: 'Everyone knows when it happens and whom to call',
    }),
  ],
  todo: 'Write the runbook',
  topics: (choice, choices) => [
    `what usually goes wrong with ${choice}.`,
    `how long ${joinWithAnd(choices)} took last time, and who did it.`,
  ],
  action: (choice, choices) =>
    `Start the change (${choice}) once ${joinWithAnd(choices)} ${choices.length === 1 ? 'is' : 'are'} in place`,
  result: (choice, choices) =>
    numberSteps([
      ...choices.map((item) => `Before: **${item}**, signed off by a named person.`),
      `Go live: **${choice}**, watching error rate and latency.`,
      'After: monitor for an hour, then remove temporary resources.',
    ]),
};

const generalPlan: PlanTemplate = {
  keywords: /^/,
  context:
    'Two answers help me get this right:\n\n- what matters **most** if not everything is possible\n- what you want as the **result**',
  questions: [
    createSingleChoice('Priority', 'What matters most here?', 'Quality', {
      Speed: 'Something usable this week',
      Quality: 'Done once, done well',
      Cost: 'As little time and money as possible',
    }),
    createMultipleChoice('Scope', 'What should I include?', ['A plan in steps', 'Risks'], {
      'A plan in steps': 'Who starts with what',
      Risks: 'What could go wrong, and what to do then',
      'Who does what': 'One owner for each step',
      'A summary to share': 'Five lines for everyone else',
    }),
  ],
  todo: 'Put the plan together',
  topics: (choice, choices) => [
    `how others approached this with ${choice} as the priority.`,
    `what goes wrong most often with ${joinWithAnd(choices)}.`,
  ],
  action: (choice, choices) => `Go ahead with ${choice} as the priority, including ${joinWithAnd(choices)}`,
  result: (choice, choices) =>
    numberSteps([
      `Where there are two options, decide by **${choice}**.`,
      ...choices.map((item) => `Prepare: **${item}**.`),
      'Review the result together after the first step, and adjust the plan.',
    ]),
};

/** Returns the template whose keyword comes first: "deploy the trip planner" is about software. */
export function findPlanTemplate(request: string): PlanTemplate {
  const [first] = [eventPlan, softwarePlan]
    .map((template) => ({ template, position: request.search(template.keywords) }))
    .filter(({ position }) => position >= 0)
    .sort((a, b) => a.position - b.position);
  return first?.template ?? generalPlan;
}

export function createSingleChoice(
  header: string,
  question: string,
  defaultLabel: string,
  labels: Record<string, string>,
): DemoQuestion {
  const options = Object.entries(labels).map(([label, description]) => ({ label, description }));
  return { question, header, options, multiSelect: false, allowOther: true, default: defaultLabel };
}

function createMultipleChoice(
  header: string,
  question: string,
  defaultLabels: string[],
  labels: Record<string, string>,
): DemoQuestion {
  return { ...createSingleChoice(header, question, '', labels), multiSelect: true, default: defaultLabels };
}

function numberSteps(steps: string[]): string {
  return steps.map((step, index) => `${index + 1}. ${step}`).join('\n');
}
