import type { Script, Speech } from './rehearsal-reply';
import { ASK, CONFIRM, type Ending, readScene, type Scene, TODOS } from './rehearsal-scene';
import { list, type Theme, themeOf } from './rehearsal-themes';

/** The default script: ask, confirm, conclude. It has no memory: the transcript says how far the play has got. */
export const demonstration: Script = ({ body }) => ({ ...play(readScene(body)), chunkMs: 20 });

function play(scene: Scene): Speech {
  if (scene.called.length === 0) return open(scene);
  const answered = scene.called.includes(ASK) && scene.form?.how === 'answered';
  if (answered && scene.offered.has(CONFIRM)) return confirm(scene);
  const settled = scene.called.includes(ASK) || scene.called.includes(CONFIRM);
  return settled && scene.offered.has(TODOS) ? { calls: todos(scene) } : conclude(scene);
}

function open(scene: Scene): Speech {
  if (isSmallTalk(scene.request)) return greet(scene);
  if (scene.later && !isRequest(scene.request)) return followUp(scene);
  if (!scene.offered.has(ASK)) return scene.offered.has(CONFIRM) ? confirm(scene) : conclude(scene);
  const { questions, why } = themeOf(scene.request);
  return {
    text: `Happy to help with “${titleOf(scene)}”. Two quick questions first, so that it fits.`,
    calls: [...todos(scene), { name: ASK, input: { questions, context: why } }],
  };
}

function confirm(scene: Scene): Speech {
  const details = [...choicesOf(scene).map(bullet), ...remarksOf(scene)].join('\n');
  return {
    text: 'Thank you. One thing before I act on it:',
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
    undone ? 'Nothing was started. Tell me what to change and I take it up from here.' : '### How it goes on',
    undone ? '' : result(...wordsOf(choices)),
    '_I am the rehearsal model: I play a script, and nothing was really booked, sent or changed. Set `ANTHROPIC_API_KEY` to talk to the real one._',
  ];
  return { text: parts.filter(Boolean).join('\n\n') };
}

function verdictOf(scene: Scene): string {
  const { form, confirmation } = scene;
  if (confirmation?.confirmed) return `**Confirmed:** ${actionOf(scene)}.`;
  if (confirmation?.how === 'answered') return `**Left undone, as you said no:** ${actionOf(scene)}.`;
  if (confirmation) return `**Left undone, as nobody confirmed it:** ${actionOf(scene)}.`;
  if (form?.how === 'timed_out') return 'Nobody answered in time, so I went on with these **assumptions**:';
  if (form?.how === 'declined') return 'I went on **without your answers** and took what usually works:';
  return form ? 'This is what I go by:' : 'I could not ask, so these are my **assumptions**:';
}

/** The list as it stands at this point of the play; no call where the tool is not offered. */
function todos(scene: Scene): { name: string; input: unknown }[] {
  if (!scene.offered.has(TODOS)) return [];
  const { form } = scene;
  const items = [
    { content: 'Ask what is needed', status: form ? 'completed' : 'in_progress' },
    { content: themeOf(scene.request).todo, status: form ? 'completed' : 'pending' },
    { content: 'Carry it out once it is confirmed', status: carriedOut(scene) },
  ];
  return [{ name: TODOS, input: { todos: items } }];
}

function carriedOut({ form, confirmation, offered }: Scene): string {
  if (confirmation) return confirmation.confirmed ? 'completed' : 'pending';
  if (form?.how !== 'answered') return 'pending';
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

/** A person's own words are quoted, so that they are seen to have arrived. */
function wordsFor(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsFor);
  if (typeof value === 'object' && value !== null && 'other' in value) return [`“${value.other}”`];
  return [String(value)];
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

function remarksOf({ form, confirmation, remarks }: Scene): string[] {
  const comments = [form, confirmation].flatMap((ending?: Ending) => ending?.comment ?? []);
  return [...comments, ...remarks].map((remark) => `- **You added:** ${remark}`);
}

function greet({ later }: Scene): Speech {
  if (later)
    return { text: 'You are welcome. If there is something else to plan, write or change, just say so.' };
  return {
    text: 'Hello! Give me something to do, such as “Plan our team offsite” or “Migrate the database”.',
  };
}

function followUp(scene: Scene): Speech {
  return {
    text: `On “${titleOf(scene)}”: what was settled above stands. I am the rehearsal model and play a script, so for a real answer set \`ANTHROPIC_API_KEY\`; or give me something new to plan, write or change.`,
  };
}

const PLEASANTRIES = new Set(
  'thanks thank you thx cheers great perfect ok okay hi hello hey good morning afternoon evening bye goodbye nice cool lovely wonderful awesome excellent so very much many a lot that thats is was all for now it there again helpful the your help everyone both'.split(
    ' ',
  ),
);

function isSmallTalk(text: string): boolean {
  const words =
    text
      .toLowerCase()
      .replace(/[’']/g, '')
      .match(/\p{L}+/gu) ?? [];
  return words.every((word) => PLEASANTRIES.has(word));
}

function isRequest(text: string): boolean {
  if (/^(what|when|why|how|who|where|which|did|do|does|is|are|was|were)\b/i.test(text)) return false;
  return /\b(plan|organi[sz]e|prepare|book|arrange|schedule|write|draft|migrate|deploy|upgrade|release|build|create|make|set up|design|help|review|find|fix|add|ask|do)\b/i.test(
    text,
  );
}

function titleOf({ request }: Scene): string {
  const line = (request.split('\n', 1)[0] ?? '').trim().replace(/[.!?\s]+$/, '');
  return line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line;
}
