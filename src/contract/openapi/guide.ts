import { PROBLEMS } from '#contract/problem';

/** What a reader needs to know about all calls, in Markdown. The API reference shows each heading in its menu. */
export function renderGuide(url: string): string {
  return `An agent asks a person, releases all resources, and continues when the answer arrives.

Requests and responses are JSON, times are RFC 3339 in UTC, and unknown fields are refused. Every response has
\`X-Request-Id\`. A conversation belongs to the key that started it; \`visibleTo\` and \`assignees\` say who else may see it
and answer. What a key may not see is reported as not found.

# Start in one minute

Three calls make a whole conversation. Where no keys are set, on your own machine, leave out the \`Authorization\` header.

\`\`\`sh
curl ${url}/v1/conversations -H "Authorization: Bearer $PARLEY_KEY" \\
  -H 'Content-Type: application/json' -d '{"id": "offsite", "message": "Plan our team offsite"}'

curl ${url}/v1/conversations/offsite/questions/latest -H "Authorization: Bearer $PARLEY_KEY"

curl ${url}/v1/conversations/offsite/questions/latest/answer -H "Authorization: Bearer $PARLEY_KEY" \\
  -H 'Content-Type: application/json' -d '{"answers": {"q1": "Seaside", "q2": ["Workshops"]}}'
\`\`\`

1. **Start it.** The reply comes at once, and the agent works on its own.
2. **Read the question.** The conversation is \`waiting_for_input\`, for days if need be. \`latest\` is the last question asked.
3. **Answer.** By the \`key\` of each field: a label, or a list of labels where the field is \`multiSelect\`.

The agent then continues, asks again if it has to, and ends with a \`result\` in the conversation.

# Errors

Errors are \`application/problem+json\` (RFC 9457). Rely on \`code\`, which is stable; \`detail\` is for people. Where a request
has faults, \`errors\` names all of them at once, each with its \`path\` and, where the values are limited, what is \`allowed\`.
An answer that comes too late gets a 409 that carries the \`question\` with the outcome that stands. After 429 and 503,
\`Retry-After\` gives the seconds to wait.

| Status | Code | Meaning |
| ------ | ---- | ------- |
${renderProblemRows()}

# Idempotency

A connection may break before the reply arrives. Send the same request again with the same \`Idempotency-Key\`: it has one
effect, and the repeat returns the current state. A different body under a used key is refused with \`idempotency_conflict\`.
Use a new key for each thing you want done.

# Live events

Conversations and the inbox can be followed as server-sent events. A comment line every 15 seconds keeps proxies awake.
The stream of a conversation begins with a \`snapshot\` and closes after \`done\`. Each \`delta\` holds all the text so far of
the message that is being written: show it in place of the one before.

To resume, send the \`id\` of the last event as \`Last-Event-ID\`; \`EventSource\` does so by itself. Nothing is missed and
nothing comes twice. If that event is no longer available, the stream begins with a \`snapshot\` again. A 204 says that the
conversation is finished and nothing is left. The inbox has no ids: each new stream begins with a \`snapshot\`.`;
}

function renderProblemRows(): string {
  const problems = Object.entries(PROBLEMS).sort(([, [left]], [, [right]]) => left - right);
  return problems.map(([code, [status, title]]) => `| ${status} | \`${code}\` | ${title} |`).join('\n');
}
