import type { Speech } from './rehearsal-reply';
import { ASK, CONFIRM, DELEGATE, type Delegation, type Scene, TODOS } from './rehearsal-scene';
import { type Theme, themeOf } from './rehearsal-themes';
import { gapIn, list, NOTE, paragraphs, remarksOf, titleOf, topicOf, wordsFor } from './rehearsal-words';

/** The usual play: ask, have things looked into where there is somebody for it, confirm, conclude. */
export function plan(scene: Scene): Speech {
  const { called, form, offered } = scene;
  if (called.length === 0) return open(scene);
  const mayGoOn = form?.how === 'answered' || (!form && called.includes(DELEGATE));
  if (called.includes(ASK) && mayGoOn && scene.subagents.length > 0) return delegate(scene);
  if ((called.includes(ASK) || called.includes(DELEGATE)) && mayGoOn && offered.has(CONFIRM))
    return confirm(scene);
  const settled = [ASK, DELEGATE, CONFIRM].some((tool) => called.includes(tool));
  return settled && offered.has(TODOS) ? { calls: todos(scene) } : conclude(scene);
}

function open(scene: Scene): Speech {
  if (!scene.offered.has(ASK)) {
    if (scene.subagents.length > 0) return delegate(scene);
    return scene.offered.has(CONFIRM) ? confirm(scene) : conclude(scene);
  }
  const { questions, why } = themeOf(scene.request);
  return {
    text: `Happy to help with “${titleOf(scene)}”. Two quick questions first, so that it fits.`,
    calls: [...todos(scene), { name: ASK, input: { questions, context: why } }],
  };
}

/** Two tasks at once: with a single sub-agent it gets both. */
function delegate(scene: Scene): Speech {
  const choices = choicesOf(scene);
  const known = [...choices.map(bullet), ...remarksOf(scene)].join('\n');
  const tasks = themeOf(scene.request).topics(...wordsOf(choices));
  return {
    text: 'Thank you. Two things are worth knowing before anything happens; I have them looked into side by side.',
    calls: [
      ...todos(scene),
      ...tasks.map((topic, at) => ({
        name: DELEGATE,
        input: {
          agent: scene.subagents[at % scene.subagents.length],
          task: `Research for “${titleOf(scene)}”: ${topic}\n\nKnown so far:\n${known}\n\nAnswer in a few lines, with what it means for the next step.`,
        },
      })),
    ],
  };
}

function confirm(scene: Scene): Speech {
  const details = [...choicesOf(scene).map(bullet), ...remarksOf(scene)].join('\n');
  return {
    text:
      scene.delegations.length > 0
        ? 'That is clear now. One thing before I act on it:'
        : 'Thank you. One thing before I act on it:',
    calls: [...todos(scene), { name: CONFIRM, input: { action: actionOf(scene), details, default: 'No' } }],
  };
}

function conclude(scene: Scene): Speech {
  const { result } = themeOf(scene.request);
  const choices = choicesOf(scene);
  const undone = scene.confirmation && !scene.confirmation.confirmed;
  const parts = [
    `## ${titleOf(scene)}`,
    verdictOf(scene),
    [...choices.map(bullet), ...remarksOf(scene)].join('\n'),
    scene.delegations.length > 0 ? `### What was found\n\n${scene.delegations.map(found).join('\n\n')}` : '',
    undone ? 'Nothing was started. Tell me what to change and I take it up from here.' : '### How it goes on',
    undone ? '' : result(...wordsOf(choices)),
    NOTE,
  ];
  return { text: paragraphs(parts) };
}

function found({ agent, task, result, failed }: Delegation): string {
  const topic = topicOf(task);
  if (failed) return `**${topic}:** ${agent} could not find out: ${result}`;
  const findings = result
    .replace(NOTE, '')
    .replace(/^#+ .*\n+/, '')
    .trim();
  return `**${topic}** (${agent})\n\n${findings}`;
}

function verdictOf(scene: Scene): string {
  const { form, confirmation } = scene;
  if (confirmation?.confirmed) return `**Confirmed:** ${actionOf(scene)}.`;
  if (confirmation?.how === 'answered') return `**Left undone, as you said no:** ${actionOf(scene)}.`;
  if (confirmation) return `**Left undone, as nobody confirmed it:** ${actionOf(scene)}.`;
  return gapIn(form) || 'This is what I go by:';
}

/** The list as it stands at this point of the play; no call where the tool is not offered. */
function todos(scene: Scene): { name: string; input: unknown }[] {
  if (!scene.offered.has(TODOS)) return [];
  const { form, subagents, delegations } = scene;
  const isKnown = form || delegations.length > 0;
  const looking = delegations.length > 0 ? 'completed' : form?.how === 'answered' ? 'in_progress' : 'pending';
  const items = [
    { content: 'Ask what is needed', status: isKnown ? 'completed' : 'in_progress' },
    { content: themeOf(scene.request).todo, status: isKnown ? 'completed' : 'pending' },
    ...(subagents.length > 0 ? [{ content: 'Have the open points looked into', status: looking }] : []),
    { content: 'Carry it out once it is confirmed', status: carriedOut(scene, looking) },
  ];
  return [{ name: TODOS, input: { todos: items } }];
}

function carriedOut({ form, confirmation, offered, subagents }: Scene, looking: string): string {
  if (confirmation) return confirmation.confirmed ? 'completed' : 'pending';
  if (form?.how !== 'answered' || (subagents.length > 0 && looking !== 'completed')) return 'pending';
  return offered.has(CONFIRM) ? 'in_progress' : 'completed';
}

interface Choice {
  header: string;
  words: string[];
  assumed: boolean;
}

function choicesOf({ request, form }: Scene): Choice[] {
  return themeOf(request).questions.map((field) => {
    const value = form?.answers[field.question];
    return { header: field.header, words: wordsFor(value ?? field.default), assumed: value === undefined };
  });
}

function wordsOf(choices: Choice[]): Parameters<Theme['action']> {
  return [list(choices[0]?.words ?? []), choices[1]?.words ?? []];
}

function actionOf(scene: Scene): string {
  return themeOf(scene.request).action(...wordsOf(choicesOf(scene)));
}

function bullet({ header, words, assumed }: Choice): string {
  return `- **${header}:** ${list(words)}${assumed ? ' _(assumed)_' : ''}`;
}
