import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { version } from '../../package.json';
import { builtIn } from '../../src/tools/registry';
import { diary } from '../helpers/diary';
import { type Parley, parley, type Settings } from '../helpers/parley';
import { ask, fail, lastToolResults, say, use } from '../helpers/scripted-model';

/**
 * Records histories of this version's conversations, for later versions to replay: `npm run record`.
 * One for each feature, parked and finished. What is recorded is never recorded anew: it is what people have parked.
 */
const { tool } = diary();
const askOnce: Settings['script'] = (request) => (lastToolResults(request).length > 0 ? say('done') : ask('Which?', 'A', 'B'));
const write = { name: 'write_line', input: { line: 'one' } };
const confirm = { name: 'confirm_action', input: { action: 'Do it', arguments: { a: 1 } } };
const todos = { name: 'write_todos', input: { todos: [{ content: 'Paint', status: 'pending' }] } };
const form = { name: 'ask_user_question', input: { questions: [{ question: 'Why?' }], context: 'Because.', timeout: 'never' } };
const long = 'x'.repeat(90_000);

type Play = (p: Parley) => Promise<string>;
const parked: Play = async (p) => {
  const id = await p.start();
  await p.question(id);
  return id;
};
const then =
  (act: (p: Parley, id: string) => Promise<unknown>, status: Parameters<Parley['until']>[1] = 'completed'): Play =>
  async (p) => {
    const id = await parked(p);
    await act(p, id);
    await p.until(id, status);
    return id;
  };

const features: [string, Settings, Play][] = [
  ['parked', { script: askOnce }, parked],
  ['parked-forever', { replies: [use(form)] }, parked],
  ['parked-confirmation', { replies: [use(confirm)] }, parked],
  ['parked-in-the-middle', { tools: [...builtIn, tool], replies: [use(write, form, write)] }, parked],
  ['answered', { script: askOnce }, then((p, id) => p.answer(id, { answer: 'A', comment: 'so' }))],
  ['declined', { script: askOnce }, then((p, id) => p.call('POST', `/v1/conversations/${id}/questions/latest/decline`))],
  ['cancelled', { script: askOnce }, then((p, id) => p.call('POST', `/v1/conversations/${id}/cancel`), 'cancelled')],
  ['cancelled-by-temporal', { script: askOnce }, then((p, id) => p.client.workflow.getHandle(id).cancel(), 'cancelled')],
  ['timed-out', { script: askOnce, policy: 'questions: { timeout: 1s }' }, then(async () => undefined)],
  ['timed-out-failed', { script: askOnce, policy: 'questions: { timeout: 1s, onTimeout: fail }' }, then(async () => undefined, 'failed')],
  ['message-while-parked', { replies: [use(confirm), say('done')] }, then(async (p, id) => {
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
    await p.answer(id, { answer: 'Yes, proceed' });
  })],
  ['tools-and-todos', { tools: [...builtIn, tool], replies: [use(todos, write, form, write), say('done')] }, then((p, id) => p.answer(id, { answer: 'So' }))],
  ['model-failed', { replies: [fail(400)] }, async (p) => {
    const id = await p.start();
    await p.until(id, 'failed');
    return id;
  }],
  ['taken-up', { script: askOnce }, async (p) => {
    const id = await then((q, c) => q.answer(c, { answer: 'A' }))(p);
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Go on' });
    await p.question(id);
    await p.answer(id, { answer: 'B' });
    await p.until(id, 'completed');
    return id;
  }],
  ['message-that-may-not-answer', { replies: [use(form), say('done')], keys: { program: ['conversations:write', 'conversations:read'], boss: ['admin'] } }, then(async (p, id) => {
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Not for me to say' });
    await p.as('boss')('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'So' });
  })],
  ['started-by-webhook', { script: askOnce, policy: 'trigger: { message: "Look into {{ it }}" }' }, async (p) => {
    const { body } = await p.call<{ id: string }>('POST', `/v1/hooks/${p.agent}`, { it: 'this' });
    await p.question(body.id);
    return body.id;
  }],
  ['rolled-over', { tools: [...builtIn, tool], script: (request) => (request.body.messages.length > 16 ? ask('Enough?', 'Yes', 'No') : { text: long, calls: [write] }) }, parked],
];

it.each(features)('records %s', async (name, settings, play) => {
  const file = path.join(__dirname, `${version}-${name}.pb.gz`);
  if (existsSync(file)) return;
  const p = await parley(settings);
  const id = await play(p);
  const history = await p.client.workflow.getHandle(id).fetchHistory();
  writeFileSync(file, gzipSync(temporal.api.history.v1.History.encode(history).finish()));
  await p.stop();
});
