import type { ScriptedReply } from '#models/demo/reply';
import { createRecordingTool } from '#test/support/recording-tool';
import { createLatch, replyWithError, replyWithQuestion, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';
import { readFirstMessage, startWebFixture, type WebFixture } from './web-fixture';

const SAMPLE_MARKDOWN = `# Findings\n\nSee [the page](https://example.org/) and \`npm start\`:\n\n- one\n- [x] two\n\n1. first\n
| place | price |\n| --- | ---: |\n| Seaside | 120 |\n\n\`\`\`sh\ncurl -s http://127.0.0.1:3000/v1/questions | grep question-1 | head -1 | cut -c1-200\n\`\`\`\n\n> Quoted.\n\n![Map](https://example.org/map.png)`;
const todos = ['completed', 'in_progress', 'pending'].map((status) => ({
  content: `A ${status} step`,
  status,
}));
const options = ['City centre', 'Countryside', 'Seaside'].map((label) => ({
  label,
  description: `To the ${label}`,
}));

/** The agent's replies, by the first message. */
const createScripts = (hold: Promise<unknown>): Record<string, (turn: number) => ScriptedReply> => ({
  plain: () => replyWithQuestion('What shall the team be called?'),
  four: () =>
    replyWithToolCalls({
      name: 'ask_user_question',
      input: {
        context: SAMPLE_MARKDOWN,
        timeout: '30m',
        questions: [
          { question: 'Where shall we go?', header: 'Place', options, default: 'Seaside' },
          { question: 'What shall we do there?', header: 'Programme', options, multiSelect: true },
          {
            question: 'How many come?',
            header: 'People',
            schema: { type: 'integer', minimum: 2, maximum: 40 },
          },
          {
            question: 'Which country?',
            header: 'Country',
            schema: { type: 'string', enum: [...'ABCDEFGHIJ'] },
          },
        ],
      },
    }),
  confirm: () =>
    replyWithToolCalls({
      name: 'confirm_action',
      input: { action: 'Book the room?', arguments: { room: 'B', nights: 2 } },
    }),
  danger: () => replyWithToolCalls({ name: 'sign_line', input: { line: 'Delete the table orders' } }),
  settled: (turn) => (turn === 0 ? replyWithQuestion({ question: 'Which?', options }) : { text: 'Thank you.' }),
  tools: (turn) =>
    turn === 0
      ? replyWithToolCalls(
          { name: 'write_todos', input: { todos } },
          { name: 'write_line', input: { line: 'one' } },
          { name: 'write_line', input: { line: 'two', fail: true } },
        )
      : { text: SAMPLE_MARKDOWN },
  write: () => ({ text: `${SAMPLE_MARKDOWN}\n\nAnd more.`, hold, holdAfter: 12 }),
  busy: () => ({ text: 'Later.', hold }),
  fail: () => replyWithError(400, { message: 'The key has no credit left.' }),
});

export interface ConversationStates {
  w: WebFixture;
  /** Conversation ids by the keyword of their first message. */
  conversationIds: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts a Parley with a conversation in each state, for a user who sees no others. */
export async function startEveryConversationState(): Promise<ConversationStates> {
  const { tool } = createRecordingTool();
  const latch = createLatch();
  const scripts = createScripts(latch.hold);
  const w = await startWebFixture({
    tools: [...builtInTools, tool, { ...tool, name: 'sign_line' }],
    frontMatter: 'tools: [write_todos, write_line, { name: sign_line, requiresConfirmation: true }]',
    keys: { carl: ['questions:answer'] },
    script: (request) => {
      const turn = request.body.messages.filter(({ role }) => role === 'assistant').length;
      return scripts[readFirstMessage(request)]?.(turn) ?? { text: 'done' };
    },
  });
  const conversationIds: Record<string, string> = {};
  for (const keyword of Object.keys(scripts))
    conversationIds[keyword] = await w.startConversation(keyword, { metadata: { ticket: 'P-12' } });
  const {
    plain = '',
    four = '',
    confirm = '',
    danger = '',
    settled = '',
    tools = '',
    fail: failed = '',
  } = conversationIds;
  await Promise.all([plain, four, confirm, danger, settled].map((id) => w.waitForQuestion(id)));
  await w.answer(settled, { answer: 'Seaside', comment: 'Two nights at most.' });
  await Promise.all([
    w.waitForStatus(tools, 'completed'),
    w.waitForStatus(settled, 'completed'),
    w.waitForStatus(failed, 'failed'),
  ]);
  return {
    w,
    conversationIds,
    async stop() {
      latch.release();
      await w.stop();
    },
  };
}
