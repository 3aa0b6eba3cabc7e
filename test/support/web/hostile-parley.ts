import { ChannelError } from '#channels/channel';
import type { ModelRequest, Reply } from '#model/rehearsal';
import { diary } from '#test/support/diary';
import { type Parley, parley } from '#test/support/parley';
import { fail, latch, use } from '#test/support/scripted-model';
import { builtIn } from '#tools/registry';
import { HOSTILE, MARKDOWN } from './hostile-texts';

export const ALL = HOSTILE.join('\n\n');

/** So many to a field, joined: a question has room for twenty fields. */
const byFour = Array.from({ length: Math.ceil(HOSTILE.length / 4) }, (_, n) =>
  HOSTILE.slice(4 * n, 4 * n + 4).join('\n'),
);
const halves = [HOSTILE.slice(0, HOSTILE.length / 2), HOSTILE.slice(HOSTILE.length / 2)];
const ask = (questions: object[], context?: string): Reply =>
  use({ name: 'ask_user_question', input: { questions, context } });

/** Where each text is the words of a choice, where it is what is said of one, and where it is the question. */
const labels = halves.map((half, n) => ({
  question: `Which ${n}?`,
  header: half[0],
  options: half.map((label) => ({ label })),
}));
const descriptions = halves.map((half, n) => ({
  question: `What ${n}?`,
  options: half.map((description, index) => ({ label: `${index}`, description })),
}));
const fields = byFour.map((question) => ({ question, header: question }));

/** Says each text in a message of its own, then asks, is answered, asks, is declined, and asks again. */
function talk(turn: number): Reply {
  const text = HOSTILE[turn];
  const todos = (contents: string[]) => ({
    name: 'write_todos',
    input: { todos: contents.map((content) => ({ content, status: 'in_progress' })) },
  });
  if (text !== undefined) return { text, calls: [todos(turn === 0 ? HOSTILE : [text])] };
  const steps = [
    use(todos(HOSTILE), { name: 'write_line', input: { line: ALL } }),
    use({ name: 'write_line', input: { line: ALL, fail: true } }),
    ask(fields),
    ask([{ question: 'Which?' }]),
    ask(labels, MARKDOWN.join('\n\n')),
  ];
  return steps[turn - HOSTILE.length] ?? { text: 'done' };
}

/** What the first word of the message asks for. */
const scriptsOf = (hold: Promise<unknown>): Record<string, (turn: number) => Reply> => ({
  talk,
  describe: () => ask([...descriptions, { question: 'Else?' }]),
  confirm: () =>
    use({
      name: 'confirm_action',
      input: {
        action: byFour[0],
        details: MARKDOWN.join('\n\n'),
        arguments: Object.fromEntries(HOSTILE.map((text, n) => (n % 2 ? [text, n] : [n, text]))),
      },
    }),
  approve: () => use({ name: 'sign_line', input: { line: ALL } }),
  // In pieces, the last of which are held back.
  write: () => ({ text: ALL, hold, holdAfter: 40 }),
  fail: () => fail(400, { message: ALL }),
  misname: (turn) =>
    turn === 0 ? use({ name: HOSTILE[0] ?? '', input: {} }) : fail(400, { message: 'No.' }),
});

function scriptWith(hold: Promise<unknown>): (request: ModelRequest) => Reply {
  const scripts = scriptsOf(hold);
  return ({ body }) => {
    const turn = body.messages.filter(({ role }) => role === 'assistant').length;
    const [word = ''] =
      /\w+/.exec(JSON.stringify(body.messages[0]?.content).replace(/^.*?"text":/, '')) ?? [];
    if (turn > 0 && word !== 'talk' && word !== 'misname') throw new Error(`${word} was not taken`);
    return scripts[word]?.(turn) ?? { text: 'done' };
  };
}

/** A Parley in which everybody writes hostile texts wherever they can. */
export async function hostileParley(): Promise<Parley & { letWrite: () => void }> {
  const { tool } = diary();
  const held = latch();
  const tools = [...builtIn, tool, { ...tool, name: 'sign_line' }];
  const send = () => Promise.reject(new ChannelError(String(HOSTILE[0]), { isFinal: true }));
  const p = await parley({
    tools,
    channels: [{ name: 'log', send, remind: send, settle: send }],
    policy:
      'tools: [write_todos, write_line, { name: sign_line, requiresConfirmation: true }]\n' +
      'questions: { maxQuestions: 20, maxOptions: 50, notify: [log] }',
    script: scriptWith(held.hold),
  });
  return { ...p, letWrite: held.release };
}

/** Everything that a person can put in, put in. */
export async function talkWith(p: Parley): Promise<string> {
  const metadata = JSON.parse(
    JSON.stringify(Object.fromEntries(HOSTILE.map((text) => [text, text])))
      .slice(0, -1)
      .concat(',"__proto__":{"polluted":1}}'),
  );
  const id = await p.start(`talk\n${ALL}`, { metadata });
  await p.question(id);
  const answers = Object.fromEntries(byFour.map((text, n) => [`q${n + 1}`, text]));
  await p.answer(id, { answers, comment: ALL }, 'question-1');
  await p.until(id, 'waiting_for_input');
  await p.call('POST', `/v1/conversations/${id}/questions/question-2/decline`, {
    reason: ALL.slice(0, 4_000),
  });
  await p.question(id);
  return id;
}
