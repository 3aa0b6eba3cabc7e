/** What people would find in it on a working day. */
const REPORT = {
  reporter: { name: 'Mara Lindqvist', email: 'mara@example.com' },
  issue: {
    title: 'Checkout shows a blank page',
    text: 'Since this morning the last step of the checkout stays blank in Safari. Two shops have called.',
  },
};

/** Gives the addresses to take pictures of. */
export async function fill(url) {
  const call = caller(url);
  const start = (id, message, more = {}) => call('POST', '/v1/conversations', { id, message, ...more });
  await start('summer-party', 'Organise the summer party');
  await toEnd(call, 'summer-party');
  await start('shop-2.3', 'Deploy release 2.3 of the shop', { agent: 'deploy-captain' });
  const confirmation = await toConfirmation(call, 'shop-2.3');
  await call('POST', '/v1/hooks/intake', REPORT);
  await start('orders-db', 'Migrate the database', { question: { timeout: '25m' } });
  await pending(call, 'orders-db');
  await start('shop-2.4', 'Deploy release 2.4 of the shop', { agent: 'deploy-captain' });
  await step(call, await pending(call, 'shop-2.4'));
  await start('offsite', 'Plan our team offsite', { metadata: { team: 'Platform', ticket: 'OPS-412' } });
  const { conversationId, id } = await pending(call, 'offsite');
  const links = `/v1/conversations/${conversationId}/questions/${id}/links`;
  const link = await call('POST', links, { person: 'joe@example.com' });
  return {
    link: new URL(link.url).pathname,
    question: `/questions/${conversationId}/${id}`,
    confirmation: `/questions/${confirmation.conversationId}/${confirmation.id}`,
    conversation: `/conversations/${confirmation.conversationId}`,
  };
}

function caller(url) {
  return async (method, route, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + route, { method, headers, body: body && JSON.stringify(body) });
    const said = await response.json();
    if (!response.ok) throw new Error(`${method} ${route}: ${JSON.stringify(said)}`);
    return said;
  };
}

/** The question that it, or an agent that works for it, waits on; nothing once it has ended. */
async function pending(call, id) {
  for (;;) {
    const [question] = (await call('GET', `/v1/questions?conversation=${id}`)).items;
    if (question) return question;
    const { status } = await call('GET', `/v1/conversations/${id}`);
    if (status === 'completed') return undefined;
    if (status === 'failed' || status === 'cancelled') throw new Error(`${id} is ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Answers it as somebody would who takes what is offered first. */
function step(call, { conversationId, id, fields }) {
  const answers = Object.fromEntries(fields.map((field) => [field.key, answerTo(field)]));
  return call('POST', `/v1/conversations/${conversationId}/questions/${id}/answer`, { answers });
}

function answerTo({ options, multiSelect, schema, default: preset }) {
  if (preset !== undefined) return preset;
  const labels = options?.map(({ label }) => label) ?? schema?.enum;
  if (labels) return multiSelect ? labels.slice(0, 2) : labels[0];
  return schema?.type === 'integer' || schema?.type === 'number' ? (schema.minimum ?? 12) : 'As you think best';
}

async function toConfirmation(call, id) {
  for (;;) {
    const question = await pending(call, id);
    if (!question) throw new Error(`${id} ended with nothing to confirm`);
    if (question.confirms) return question;
    await step(call, question);
  }
}

async function toEnd(call, id) {
  for (let question = await pending(call, id); question; question = await pending(call, id)) await step(call, question);
}
