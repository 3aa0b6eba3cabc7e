import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { createRecordingTool } from '#test/support/recording-tool';
import { replyWithText } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

const WORDS =
  'the shed was painted in a colour that nobody had asked for and so the question of who should pay for another coat came up again at the meeting where most of the neighbours agreed that red is no colour for a shed while some thought that it might do if the door were left as it is and the roof mended before the rain sets in'.split(
    ' ',
  );

/** Creates text with about the information density of prose: words in random order, mixed with numbers. */
function createProse(seed: number, length: number): string {
  let state = seed * 7_919 + 1;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  let text = '';
  while (text.length < length) text += next(9) === 0 ? `${next(100_000)} ` : `${WORDS[next(WORDS.length)]} `;
  return text.slice(0, length);
}

/** Of each call, as its result stays in the transcript. */
const TOKENS_PER_CALL = 2_090;
/** Of the prompt and the tools. */
const PROMPT_TOKENS = 2_500;
const BYTES_PER_TOKEN = 3.4;

/** Proves that long transcripts work. Another system failed at the 53rd of 100 calls, with 50 MB of history. */
export function proveLongTranscript(calls: number): void {
  const tokensInAll = calls * TOKENS_PER_CALL;
  let p: TestParley;
  afterEach(() => p.stop());

  /** Returns bytes, as the server counts them, and events of all runs of the conversation. */
  async function measureHistory(id: string): Promise<{ runs: number; events: number; bytes: number }> {
    const sum = { runs: 0, events: 0, bytes: 0 };
    let { runId } = await p.client.workflow.getHandle(id).describe();
    while (runId) {
      const handle = p.client.workflow.getHandle(id, runId);
      const { raw } = await handle.describe();
      sum.runs += 1;
      sum.events += Number(raw.workflowExecutionInfo?.historyLength);
      sum.bytes += Number(raw.workflowExecutionInfo?.historySizeBytes);
      const { events } = await handle.fetchHistory();
      runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
    }
    return sum;
  }

  it.each([
    ['all of it read on each call', 1_000_000],
    ['in a window that is too small, with the oldest results removed', calls * 2_000],
  ])('end well, with less than 50 KB of history each: %s', async (_how, window) => {
    const { tool, lines } = createRecordingTool();
    const length = Math.round(TOKENS_PER_CALL * BYTES_PER_TOKEN) - 190;
    let maxTokens = 0;
    let last = 0;
    p = await startParley({
      tools: [
        ...builtInTools,
        {
          ...tool,
          execution: { ...tool.execution, execute: async () => createProse(lines.push(''), length) } as never,
        },
      ],
      frontMatter: `contextWindow: ${window}`,
      contextWindow: window,
      script: ({ body }) => {
        const [first = ''] = [JSON.stringify(body.messages.at(-1)?.content.at(-1))];
        const tokens = Math.round(JSON.stringify(body.messages).length / BYTES_PER_TOKEN);
        const usage = { input_tokens: tokens + PROMPT_TOKENS, output_tokens: 50 };
        maxTokens = Math.max(maxTokens, tokens);
        last = tokens;
        if (first.includes('[Parley: this conversation no longer fits'))
          return { ...replyWithText('All was read.'), usage };
        if (lines.length >= calls - 1) return { ...replyWithText('done'), usage };
        return { calls: [{ name: 'write_line', input: { line: `${lines.length}` } }], usage };
      },
    });
    const id = await p.startConversation('Read all there is');
    const done = await p.waitForStatus(id, 'completed');
    const history = await measureHistory(id);
    console.log(JSON.stringify({ window, calls: done.usage.modelCalls, most: maxTokens, last, ...history }));
    expect(done.usage.modelCalls).toBeGreaterThanOrEqual(calls);
    if (window > tokensInAll) expect(last + PROMPT_TOKENS).toBeGreaterThan(tokensInAll);
    expect(history.bytes).toBeLessThan(calls * 50_000);
    expect(history.events).toBeLessThan(calls * 30);
  });
}
