/**
 * Checks other models: a whole conversation with an OpenAI-style model, through LiteLLM, which offers any model under
 * the Messages API. The model thinks, asks a person, gets the answer and replies; a further message continues.
 */
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installPythonProgram } from '../lib/install-python-program.mjs';
import { startTemporaryParley } from '../lib/start-temporary-parley.mjs';
import { lastLines } from '../setup/exec.mjs';
import { exitWithError, print, SetupError, withProgress } from '../setup/log.mjs';
import { PROJECT } from '../setup/paths.mjs';
import { startOpenAiModel } from './openai-model.mjs';

/** The documentation names this version: docs/reference/configuration.md. */
const VERSION = '1.106.2';
const QUESTION = 'Which day suits everybody?';
const TIME_LIMIT_MS = 120_000;

const SCRIPT = [
  ({ messages, tools, reasoning_effort }) => {
    assert.deepEqual(rolesOf(messages), ['system', 'user']);
    assert.match(JSON.stringify(messages[1]), /Book the offsite/);
    assert.ok(tools.some((tool) => tool.function.name === 'ask_user_question'));
    assert.equal(reasoning_effort, 'low');
    const input = { questions: [{ question: QUESTION, options: [{ label: 'Monday' }, { label: 'Tuesday' }] }] };
    return {
      thinking: 'Ask first.',
      text: 'One question.',
      toolCall: { id: 'call_1', name: 'ask_user_question', input },
    };
  },
  ({ messages }) => {
    assert.deepEqual(rolesOf(messages), ['system', 'user', 'assistant', 'tool']);
    assert.equal(messages[2].reasoning_content, 'Ask first.');
    assert.equal(messages[3].tool_call_id, 'call_1');
    assert.match(JSON.stringify(messages[3].content), /Tuesday/);
    return { text: 'It is booked for Tuesday.' };
  },
  ({ messages }) => {
    assert.deepEqual(rolesOf(messages), ['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
    return { text: 'You are welcome.' };
  },
];

// Otherwise, even `--version` downloads prices.
process.env.LITELLM_LOCAL_MODEL_COST_MAP = 'True';

const rolesOf = (messages) => messages.map(({ role }) => role);

try {
  const program = await installPythonProgram('litellm', VERSION, '[proxy]');
  const model = await startOpenAiModel(SCRIPT);
  const litellm = await withProgress('Starting LiteLLM', () => startLitellm(program, model.url));
  const parley = await startTemporaryParley({
    PARLEY_AGENTS: path.join(PROJECT, 'scripts', 'interop', 'agents'),
    ANTHROPIC_BASE_URL: litellm.url,
    ANTHROPIC_API_KEY: litellm.key,
  });
  try {
    await holdConversation(parley.url).catch((error) => {
      const faults = model.findFaults().join('\n');
      throw new SetupError(`${error.message}\n\nModel:\n${faults}\n\nLiteLLM:\n${lastLines(litellm.output())}`);
    });
    assert.deepEqual(model.findFaults(), []);
    print(`A conversation through LiteLLM ${VERSION} passed.`);
  } finally {
    await parley.stop();
    await litellm.stop();
    model.stop();
  }
} catch (error) {
  exitWithError(error instanceof SetupError ? error.message : error.stack);
}

async function holdConversation(url) {
  const conversation = { agent: 'scheduler', message: 'Book the offsite.' };
  const { id } = await post(`${url}/v1/conversations`, conversation);
  const path = `${url}/v1/conversations/${id}`;
  const question = await nextEvent(path, 'question_pending');
  assert.equal(question.fields[0].question, QUESTION);
  await post(`${path}/questions/latest/answer`, { answer: 'Tuesday' });
  const done = await nextEvent(path, 'done');
  assert.deepEqual([done.status, done.result, done.error], ['completed', 'It is booked for Tuesday.', null]);
  await post(`${path}/messages`, { text: 'Thank you' });
  const { status, result, usage } = await nextEvent(path, 'done');
  assert.deepEqual([status, result], ['completed', 'You are welcome.']);
  // The model reports 50 tokens, 40 of them cached, for each of 3 calls.
  assert.deepEqual([usage.inputTokens, usage.cachedTokens, usage.modelCalls], [150, 120, 3]);
}

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.ok(response.ok, `${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Waits for an event of a conversation and returns its data. `done` ends the stream, also that of a failure. */
async function nextEvent(url, name) {
  const signal = AbortSignal.timeout(TIME_LIMIT_MS);
  const { body } = await fetch(`${url}/events`, { signal });
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const event = /^event: (.+)$/m.exec(block)?.[1];
      const data = /^data: (.+)$/m.exec(block)?.[1];
      if (event === name) return JSON.parse(data);
      assert.notEqual(event, 'done', `The conversation ended before ${name}: ${data}`);
    }
  }
  throw new Error(`The stream ended before ${name}.`);
}

/** Starts LiteLLM with the documented configuration. */
async function startLitellm(program, modelUrl) {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-litellm-'));
  const config = path.join(folder, 'config.yaml');
  const page = readFileSync(path.join(PROJECT, 'docs/reference/configuration.md'), 'utf8');
  const [, documented] = /^```yaml\n(model_list:[\s\S]*?)^```$/m.exec(page);
  writeFileSync(config, documented.replace('http://127.0.0.1:8000/v1', modelUrl));
  const port = await findFreePort();
  const key = `sk-${randomBytes(24).toString('hex')}`;
  const env = { ...process.env, LITELLM_MASTER_KEY: key, NO_PROXY: '127.0.0.1' };
  const child = spawn(program, ['--config', config, '--host', '127.0.0.1', '--port', String(port)], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  let hasEnded = false;
  const ended = new Promise((resolve) => child.once('close', resolve)).then(() => (hasEnded = true));
  process.once('exit', () => child.kill());
  const url = `http://127.0.0.1:${port}`;
  while (!(await isReady(url))) {
    if (hasEnded) throw new SetupError(`LiteLLM did not start:\n\n${lastLines(output)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  const stop = async () => {
    child.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, key, stop, output: () => output };
}

function isReady(url) {
  return fetch(`${url}/health/liveliness`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function findFreePort() {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
