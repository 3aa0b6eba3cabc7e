/** Sample data as on a working day. */
const INTAKE_REPORT = {
  reporter: { name: 'Mara Lindqvist', email: 'mara@example.com' },
  issue: {
    title: 'Checkout shows a blank page',
    text: 'Since this morning the last step of the checkout stays blank in Safari. Two shops have called.',
  },
};

/** Creates the sample data and returns the paths to take screenshots of. */
export async function createSampleData(url) {
  const call = createApiClient(url);
  const start = (id, message, more = {}) => call('POST', '/v1/conversations', { id, message, ...more });
  await start('summer-party', 'Organise the summer party');
  await advanceToEnd(call, 'summer-party');
  await start('shop-2.3', 'Deploy release 2.3 of the shop', { agent: 'deploy-captain' });
  const confirmation = await advanceToConfirmation(call, 'shop-2.3');
  await call('POST', '/v1/hooks/intake', INTAKE_REPORT);
  await start('orders-db', 'Migrate the database', { question: { timeout: '25m' } });
  await waitForQuestion(call, 'orders-db');
  await start('shop-2.4', 'Deploy release 2.4 of the shop', { agent: 'deploy-captain' });
  await answerQuestion(call, await waitForQuestion(call, 'shop-2.4'));
  await start('offsite', 'Plan our team offsite', { metadata: { team: 'Platform', ticket: 'OPS-412' } });
  const { conversationId, id } = await waitForQuestion(call, 'offsite');
  const links = `/v1/conversations/${conversationId}/questions/${id}/links`;
  const link = await call('POST', links, { person: 'joe@example.com' });
  return {
    link: new URL(link.url).pathname,
    question: `/questions/${conversationId}/${id}`,
    confirmation: `/questions/${confirmation.conversationId}/${confirmation.id}`,
    conversation: `/conversations/${confirmation.conversationId}`,
  };
}

function createApiClient(url) {
  return async (method, route, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + route, { method, headers, body: body && JSON.stringify(body) });
    const json = await response.json();
    if (!response.ok) throw new Error(`${method} ${route}: ${JSON.stringify(json)}`);
    return json;
  };
}

/** Returns the open question of a conversation or its sub-agents; undefined once the conversation has ended. */
async function waitForQuestion(call, id) {
  for (;;) {
    const [question] = (await call('GET', `/v1/questions?conversation=${id}`)).items;
    if (question) return question;
    const { status } = await call('GET', `/v1/conversations/${id}`);
    if (status === 'completed') return undefined;
    if (status === 'failed' || status === 'cancelled') throw new Error(`${id} is ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Answers a question with the first options offered. */
function answerQuestion(call, { conversationId, id, fields }) {
  const answers = Object.fromEntries(fields.map((field) => [field.key, chooseAnswer(field)]));
  return call('POST', `/v1/conversations/${conversationId}/questions/${id}/answer`, { answers });
}

function chooseAnswer({ options, multiSelect, schema, default: preset }) {
  if (preset !== undefined) return preset;
  const labels = options?.map(({ label }) => label) ?? schema?.enum;
  if (labels) return multiSelect ? labels.slice(0, 2) : labels[0];
  return schema?.type === 'integer' || schema?.type === 'number' ? (schema.minimum ?? 12) : 'As you think best';
}

async function advanceToConfirmation(call, id) {
  for (;;) {
    const question = await waitForQuestion(call, id);
    if (!question) throw new Error(`${id} ended without an approval question`);
    if (question.confirms) return question;
    await answerQuestion(call, question);
  }
}

async function advanceToEnd(call, id) {
  for (let question = await waitForQuestion(call, id); question; question = await waitForQuestion(call, id))
    await answerQuestion(call, question);
}
