/**
 * A scripted model that speaks OpenAI's Chat Completions API, streamed. It answers each request with the next step
 * of the script, and rejects a request that the script does not expect.
 */
import { createServer } from 'node:http';

/** Each step gets the request and returns the reply, `{thinking?, text, toolCall?: {id, name, input}}`, or throws. */
export async function startOpenAiModel(script) {
  const steps = [...script];
  const faults = [];
  const server = createServer(async (request, response) => {
    try {
      const chunks = await request.toArray();
      // LiteLLM also asks for the list of models, and does without.
      if (request.url !== '/v1/chat/completions') return response.writeHead(404).end();
      const step = steps.shift();
      if (!step) throw new Error('The script has ended.');
      const body = JSON.parse(Buffer.concat(chunks).toString());
      if (!body.stream) throw new Error('The request is not streamed.');
      sendReply(response, body.model, step(body));
    } catch (error) {
      faults.push(error.message);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: error.message, type: 'invalid_request_error' } }));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    /** Says what went wrong, if anything did. */
    findFaults: () => (steps.length > 0 ? [...faults, `${steps.length} steps were not reached.`] : faults),
    stop: () => void server.close().closeAllConnections(),
  };
}

function sendReply(response, model, { thinking, text, toolCall }) {
  const cached = { prompt_tokens_details: { cached_tokens: 40 } };
  const usage = { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70, ...cached };
  const chunk = (fields) => ({ id: 'reply', object: 'chat.completion.chunk', created: 0, model, ...fields });
  const sendDelta = (delta, finish_reason = null) => send(chunk({ choices: [{ index: 0, delta, finish_reason }] }));
  const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  sendDelta({ role: 'assistant', content: '' });
  if (thinking) sendDelta({ reasoning_content: thinking });
  for (const word of text.split(/(?<= )/)) sendDelta({ content: word });
  if (toolCall) {
    const { id, name, input } = toolCall;
    sendDelta({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] });
    for (const part of JSON.stringify(input).match(/.{1,10}/g))
      sendDelta({ tool_calls: [{ index: 0, function: { arguments: part } }] });
  }
  sendDelta({}, toolCall ? 'tool_calls' : 'stop');
  send(chunk({ choices: [], usage }));
  response.end('data: [DONE]\n\n');
}
