import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Timeline } from '../../src/contract/entry';
import { type Parley, parley } from '../helpers/parley';
import { ask, say } from '../helpers/scripted-model';

/** How many questions are asked and answered. For years of them, with figures: `PARLEY_TURNS=5000 npx jest many-turns`. */
const TURNS = Number(process.env.PARLEY_TURNS ?? 12);
/** A message allows 200 calls of the model, so that is how often the person has to say something. */
const UNTIL_A_MESSAGE = 150;
/** So that all of it weighs several times what a state may, however few turns there are. */
const FILLER = 'x'.repeat(Math.max(1, Math.ceil(2_000_000 / TURNS) - 400));

async function figures(p: Parley, id: string): Promise<string> {
  let [runs, events, bytes] = [0, 0, 0];
  for await (const run of p.client.workflow.list({ query: `WorkflowId = '${id}'` })) {
    runs += 1;
    events += run.historyLength;
    bytes += run.historySize ?? 0;
  }
  return `${runs} runs, ${events / TURNS} events and ${Math.round(bytes / TURNS)} bytes of history a turn`;
}

it(
  `has all of a conversation of ${TURNS} turns, from its first question to its last`,
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-turns-'));
    let asked = 0;
    let sinceMessage = 0;
    const p: Parley = await parley({
      env: { PARLEY_STORAGE: `file://${folder}` },
      policy: 'questions: { perTurn: 1000, perConversation: 10000 }',
      script: () => {
        // Each has all that was said before: together they would fill the memory.
        p.model.requests.splice(0);
        sinceMessage += 1;
        if (asked === TURNS || sinceMessage > UNTIL_A_MESSAGE) {
          sinceMessage = 0;
          return say('Enough.');
        }
        asked += 1;
        return { ...ask(`Question ${asked}?`), text: FILLER };
      },
    });
    const began = Date.now();
    const id = await p.start();
    for (let answered = 0; answered < TURNS; ) {
      const { status, question } = await p.conversation(id);
      if (status === 'completed')
        await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on.' });
      if (question?.id !== `question-${answered + 1}`) continue;
      answered += 1;
      const { status: taken } = await p.answer(id, { answer: `Answer ${answered}` }, question.id);
      expect([200, 202]).toContain(taken);
      if (answered % 500 === 0)
        console.log(`${answered} turns, ${Math.round((Date.now() - began) / 1_000)} s`);
    }
    await p.until(id, 'completed');
    const { body } = await p.call<Timeline>('GET', `/v1/conversations/${id}/timeline`);
    const questions = body.items.flatMap((entry) => (entry.kind === 'question' ? [entry.question] : []));
    expect(body.truncated).toBeUndefined();
    expect(questions.map(({ outcome }) => outcome?.answers)).toEqual(
      Array.from({ length: TURNS }, (_, n) => ({ q1: `Answer ${n + 1}` })),
    );
    if (process.env.PARLEY_TURNS) {
      const size = JSON.stringify(body).length;
      console.log(
        `${TURNS} turns, ${body.items.length} entries, ${size} characters; ${await figures(p, id)}`,
      );
    }
    await p.stop();
    rmSync(folder, { recursive: true, force: true });
  },
  TURNS * 2_000 + 60_000,
);
