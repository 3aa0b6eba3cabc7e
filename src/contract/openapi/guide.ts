import { PROBLEMS } from '#contract/problem';

/** What applies to all operations, in Markdown. The API reference shows each heading in its menu. */
export function renderGuide(url: string): string {
  return `An agent asks, frees all resources, and resumes when the answer arrives.

Requests and responses are JSON, times are RFC 3339 in UTC, and unknown fields are rejected. Every response has an
\`X-Request-Id\`. A conversation belongs to the key that started it; \`visibleTo\` and \`assignees\` define who else can see
it and answer. Resources you can't access return 404.

# Start in one minute

A conversation takes three calls. On your own machine, without API keys, omit the \`Authorization\` header.

\`\`\`sh
curl ${url}/v1/conversations -H "Authorization: Bearer $PARLEY_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"id": "offsite", "message": "Plan our team offsite"}'

curl ${url}/v1/conversations/offsite/questions/latest -H "Authorization: Bearer $PARLEY_API_KEY"

curl ${url}/v1/conversations/offsite/questions/latest/answer -H "Authorization: Bearer $PARLEY_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"answers": {"q1": "Seaside", "q2": ["Workshops"]}}'
\`\`\`

1. **Start.** The call returns immediately and the agent works in the background.
2. **Read the question.** The conversation stays \`waiting_for_input\`, for days if necessary. \`latest\` is the last question.
3. **Answer.** Pass a value for the \`key\` of each field: a label, or a list of labels if the field is \`multiSelect\`.

The agent then continues, asks again if necessary, and sets the conversation's \`result\` when it completes.

# Errors

Errors are \`application/problem+json\` (RFC 9457). Use \`code\`, which is stable; \`detail\` is for people. For an invalid
request, \`errors\` lists every error with its \`path\` and any \`allowed\` values. A late answer returns 409 with the
\`question\` and its final outcome. After 429 and 503, wait for the seconds in \`Retry-After\`.

| Status | Code | Meaning |
| ------ | ---- | ------- |
${renderProblemRows()}

# Idempotency

If a connection breaks before the response arrives, retry the request with the same \`Idempotency-Key\`: it takes effect
once, and the retry returns the current state. Reusing a key with a different body returns \`idempotency_conflict\`. Use a
new key for each new action.

# Live events

Follow conversations and the inbox as server-sent events. A comment every 15 seconds keeps the connection open.
A conversation's stream starts with a \`snapshot\` and closes after \`done\`. Each \`delta\` contains all the text so far of
the message being written: replace the previous text with it. While the model thinks, \`thinkingSince\` says since when.

To resume, send the \`id\` of the last event as \`Last-Event-ID\`; \`EventSource\` does this automatically. No event is missed
or repeated. If that event is no longer available, the stream starts with a \`snapshot\` again. A 204 means that the
conversation is finished and no events are left. The inbox has no ids: each stream starts with a \`snapshot\`.`;
}

function renderProblemRows(): string {
  const problems = Object.entries(PROBLEMS).sort(([, [left]], [, [right]]) => left - right);
  return problems.map(([code, [status, title]]) => `| ${status} | \`${code}\` | ${title} |`).join('\n');
}
