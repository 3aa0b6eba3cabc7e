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
    'Two things decide nearly everything else:\n\n- the **place** sets the budget and the journey\n- the **programme** sets how long you need',
  questions: [
    createSingleChoice('Place', 'What kind of place suits the group?', 'Countryside', {
      'City centre': 'Short journeys and plenty of restaurants',
      Countryside: 'Quiet, with room to think; needs a coach',
      Seaside: 'Fresh air, a little further to travel',
    }),
    createMultipleChoice('Programme', 'What should be part of it?', ['Workshops', 'Team dinner'], {
      Workshops: 'Half a day of work in small groups',
      'Team dinner': 'One long table, one evening',
      'Outdoor activity': 'A hike, a boat, a climbing wall',
      'Free time': 'An afternoon with nothing on it',
    }),
  ],
  todo: 'Choose the place and the programme',
  topics: (choice, choices) => [
    `what ${choice} costs for a group, and how to get there.`,
    `what goes wrong with ${joinWithAnd(choices)}, and how to be ready for it.`,
  ],
  action: (choice, choices) =>
    `Send the invitation: ${choice} as the place, with ${joinWithAnd(choices)} on the programme`,
  result: (choice, choices) =>
    numberSteps([
      `Shortlist three venues that fit **${choice}** and ask each for two dates.`,
      ...choices.map((item) => `Give **${item}** a fixed slot and a person who looks after it.`),
      'Collect diets, allergies and arrival times with the reply to the invitation.',
    ]),
};

const softwarePlan: PlanTemplate = {
  keywords:
    /\b(software|deploy\w*|databases?|db|migrat\w+|releases?|servers?|upgrad\w+|refactor\w*|bugs?|code|apis?|apps?|website|infrastructure|kubernetes|postgres\w*|roll-?out)\b/i,
  context:
    'A change like this goes wrong in two places:\n\n- in the **switch-over**, when old and new run side by side\n- afterwards, when there is **no way back**',
  questions: [
    createSingleChoice('Roll-out', 'How should the change go live?', 'Canary', {
      Canary: 'A small share of the traffic first, then the rest',
      'Blue-green': 'A second environment, switched over at once',
      'Maintenance window': 'Everything stops for an hour at night',
    }),
    createMultipleChoice('Safeguards', 'What must be in place before it starts?', ['Backup', 'Rollback script'], {
      Backup: 'Taken, and restored once to prove it',
      'Dry run on a copy': 'The whole change on last night’s data',
      'Rollback script': 'One command back, tried out',
      Announcement: 'Everybody knows when, and whom to call',
    }),
  ],
  todo: 'Write the runbook',
  topics: (choice, choices) => [
    `what goes wrong with ${choice} as the way to go live.`,
    `how long ${joinWithAnd(choices)} took the last time, and who did it.`,
  ],
  action: (choice, choices) =>
    `Start the change (${choice}) once ${joinWithAnd(choices)} ${choices.length === 1 ? 'is' : 'are'} in place`,
  result: (choice, choices) =>
    numberSteps([
      ...choices.map((item) => `Before: **${item}**, checked off by name.`),
      `Go live: **${choice}**, with error rate and latency on one screen.`,
      'After: watch for an hour, then remove what was only there for the change.',
    ]),
};

const writingPlan: PlanTemplate = {
  keywords:
    /\b(writ(e|ing)|drafts?|posts?|blog|e-?mails?|letters?|articles?|newsletters?|speech|announcements?|text|summary)\b/i,
  context:
    'The same facts read very differently:\n\n- the **tone** decides who feels spoken to\n- the **content** decides how long it gets',
  questions: [
    createSingleChoice('Tone', 'Which tone should it have?', 'Friendly', {
      Friendly: 'Like a note to a colleague',
      'Matter-of-fact': 'Short sentences, no adjectives',
      Enthusiastic: 'For people who should want to try it',
    }),
    createMultipleChoice('Content', 'What should it cover?', ['What is new', 'Why it matters'], {
      'What is new': 'The news in one paragraph',
      'Why it matters': 'What gets better, and for whom',
      'An example': 'One case from start to end',
      'What comes next': 'Dates, and where to ask',
    }),
  ],
  todo: 'Write the draft',
  topics: (choice, choices) => [
    `which facts about ${joinWithAnd(choices)} can be checked, and where.`,
    `what goes wrong with a text that is ${choice}.`,
  ],
  action: (choice, choices) => `Publish the text (${choice}), covering ${joinWithAnd(choices)}`,
  result: (choice, choices) =>
    [
      `A first draft (${choice}):`,
      ...choices.map((item) => `> **${item}.** Two or three sentences, with one fact that can be checked.`),
      'Read it aloud once before it goes out: what trips the tongue trips the reader.',
    ].join('\n\n'),
};

const generalPlan: PlanTemplate = {
  keywords: /^/,
  context:
    'Two answers save a detour:\n\n- what matters **most** when not everything is possible\n- what you want to **hold in your hands** at the end',
  questions: [
    createSingleChoice('Priority', 'What matters most here?', 'Quality', {
      Speed: 'Something usable this week',
      Quality: 'Done once, done well',
      Cost: 'As little money and time as possible',
    }),
    createMultipleChoice('Scope', 'What should I include?', ['A plan in steps', 'Risks'], {
      'A plan in steps': 'Who starts with what',
      Risks: 'What could go wrong, and the way out',
      'Who does what': 'One name for each step',
      'A summary to share': 'Five lines for everybody else',
    }),
  ],
  todo: 'Put the plan together',
  topics: (choice, choices) => [
    `what others did who put ${choice} first.`,
    `what goes wrong most often with ${joinWithAnd(choices)}.`,
  ],
  action: (choice, choices) => `Go ahead with ${choice} as the priority, including ${joinWithAnd(choices)}`,
  result: (choice, choices) =>
    numberSteps([
      `Decide by **${choice}** wherever two ways are open.`,
      ...choices.map((item) => `Prepare: **${item}**.`),
      'Look at it together after the first step, and change what does not fit.',
    ]),
};

/** Returns the template whose keyword comes first: "write a post about our offsite" is about writing. */
export function findPlanTemplate(request: string): PlanTemplate {
  const matches = [eventPlan, softwarePlan, writingPlan].map((template) => ({
    template,
    position: request.search(template.keywords),
  }));
  return (
    matches.filter(({ position }) => position >= 0).sort((a, b) => a.position - b.position)[0]?.template ?? generalPlan
  );
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
