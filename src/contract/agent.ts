import { z } from 'zod';
import { CallbackUrl, Escalation, NotifyTargets, ReminderSchedule } from './notification';
import { AGENT_NAME_PATTERN, Audience } from './permissions';
import { OnTimeout } from './question';
import { Duration, FiniteDuration, serializeDuration } from './time';

export const AgentName = z
  .string()
  .regex(AGENT_NAME_PATTERN, 'must be 1 to 64 lowercase letters, digits or hyphens, and not start with a hyphen');

function boundedInteger(max: number, min = 1) {
  const range = `must be from ${min} to ${max.toLocaleString('en')}`;
  return z.number().int().min(min, range).max(max, range);
}

/** An agent's rules for asking. `perTurn` counts from one user message to the next. */
export const QuestionPolicy = z.strictObject({
  timeout: Duration.default(24 * 3_600_000),
  onTimeout: OnTimeout.default('continue'),
  remind: ReminderSchedule.default([]),
  escalate: z.array(Escalation).max(10).default([]),
  notify: NotifyTargets.default([]),
  perTurn: boundedInteger(1_000).default(25),
  perConversation: boundedInteger(10_000).default(100),
  maxQuestions: boundedInteger(20).default(4),
  maxOptions: boundedInteger(50, 2).default(4),
  /** Default for who may answer; the start request can override it. */
  assignees: Audience.default([]),
});

/** What a conversation may use, with its sub-agents. At a limit it asks for as much again, or stops. */
export const Budget = z
  .strictObject({
    usd: z.number().positive().max(1_000_000).optional().describe('US dollars.'),
    tokens: boundedInteger(1_000_000_000_000).optional().describe('Tokens read and written.'),
    calls: boundedInteger(1_000_000).optional().describe('Model calls.'),
    onLimit: z.enum(['ask', 'stop']).optional().describe('Ask whether to continue (the default), or stop.'),
  })
  .refine(({ usd, tokens, calls }) => usd ?? tokens ?? calls, 'must set usd, tokens or calls');
export type Budget = z.infer<typeof Budget>;

/** How a webhook starts a conversation with this agent. */
export const WebhookTrigger = z.strictObject({
  message: z
    .string()
    .regex(/\S/, 'must be a message, with {{ path.in.the.body }} for values')
    .max(20_000)
    .refine((text) => findInvalidPlaceholder(text) === undefined, {
      error: ({ input }) =>
        `invalid placeholder ${findInvalidPlaceholder(String(input))}; use {{ path.in.the.body }}, or {{ . }} for the whole body`,
    })
    .describe('The first message, with {{ path.in.the.body }} for values.'),
  secret: z
    .string()
    .regex(
      /^[A-Z][A-Z0-9_]{0,99}$/,
      'must be the name of an environment variable, such as PARLEY_HOOK_INTAKE, and not the secret itself',
    )
    .optional(),
});
export type WebhookTrigger = z.infer<typeof WebhookTrigger>;

const ToolName = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be letters, digits, underscores or hyphens');

/** A tool that the agent may use. The tool itself validates its settings, which are the other fields. */
export const ToolGrant = z.preprocess(
  (entry) => (typeof entry === 'string' ? { name: entry } : entry),
  z.looseObject(
    { name: ToolName, requiresConfirmation: z.boolean().optional() },
    'must be the name of a tool, or `name: …` followed by its settings',
  ),
);
export type ToolGrant = z.infer<typeof ToolGrant>;

/** Texts in which `${NAME}` is an environment variable. The worker fills them in, so values are never pinned. */
const InterpolatedTexts = z.record(z.string(), z.string());

const mcpServerFields = {
  timeout: FiniteDuration.refine((ms) => ms <= 4 * 60_000, 'must be at most 4m')
    .default(60_000)
    .describe('Timeout of a call.'),
  tools: z
    .array(z.string())
    .min(1, 'must list at least one tool; omit it to allow all')
    .optional()
    .describe('Allows only these tools of the server.'),
};

/** Matches a command that includes arguments. A path may contain spaces. */
const COMMAND_WITH_ARGUMENTS = /^[^\s/\\]+\s+\S|\s-/;

/** An MCP server: a program to start, or a URL to call. */
export const McpServerConfig = z.union(
  [
    z.strictObject({
      command: z
        .string()
        .min(1)
        .refine((text) => !COMMAND_WITH_ARGUMENTS.test(text), 'must be the program only; put the arguments in `args`'),
      args: z.array(z.string()).default([]),
      env: InterpolatedTexts.default({}),
      cwd: z.string().optional(),
      ...mcpServerFields,
    }),
    z.strictObject({
      url: z.url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' }),
      headers: InterpolatedTexts.default({}),
      ...mcpServerFields,
    }),
  ],
  {
    error: ({ input }) =>
      ['command', 'url'].every((field) => Object.hasOwn(Object(input), field))
        ? 'set either `command` or `url`, not both'
        : 'set `command` for a program to start, or `url` for a server to call',
  },
);
export type McpServerConfig = z.infer<typeof McpServerConfig>;

export const McpServerName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be lowercase letters, digits or hyphens');

const ModelName = z.string().min(1).max(200);
const Thinking = z.enum(['adaptive', 'off']);
const Effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);

/** The schema of the front matter. Rules across fields are validated when agent files are loaded. */
export const AgentFile = z.strictObject({
  name: AgentName,
  description: z.string().min(1).max(500),
  model: ModelName.default('claude-sonnet-5-5'),
  /** Limit of a reply with its thinking. By default as much as suits the model. */
  maxTokens: boundedInteger(1_000_000).optional(),
  /** `off` thinks as little as the model allows. By default as the model does. */
  thinking: Thinking.optional(),
  effort: Effort.optional(),
  /** The model that replies if the other one refuses. */
  fallbackModel: ModelName.optional(),
  /** The model's context window in tokens, for an API that does not report it, or to use less of it. */
  contextWindow: boundedInteger(10_000_000, 10_000).optional(),
  tools: z
    .array(ToolGrant)
    .max(100)
    .default([{ name: 'write_todos' }]),
  subagents: z.array(AgentName).max(20).default([]),
  mcp: z.record(z.string(), McpServerConfig).default({}),
  canAsk: z.boolean().default(true),
  questions: QuestionPolicy.default(QuestionPolicy.parse({})),
  budget: Budget.optional(),
  /** Default for who may see its conversations; the start request can override it. */
  visibleTo: Audience.default([]),
  trigger: WebhookTrigger.optional(),
  callbackUrl: CallbackUrl.optional(),
});

/** An agent as its file defines it. A conversation keeps the definition that it started with. */
export type Agent = z.infer<typeof AgentFile> & {
  prompt: string;
  /** One signature per grant: the API, not another Temporal client, started the conversation. */
  grantSignatures?: string[];
};

const DurationText = z.string().describe('A duration: 90s, 15m, 4h, 3d or never.');

/** The public view of an agent. Lists of people are empty for callers who may not start conversations. */
export const AgentView = z.strictObject({
  name: AgentName,
  description: z.string(),
  model: z.string(),
  maxTokens: z.number().int().describe('Limit of a reply, thinking included.'),
  thinking: Thinking.optional(),
  effort: Effort.optional(),
  fallbackModel: z.string().optional().describe('The model that replies if the other one refuses.'),
  tools: z.array(z.string()).describe('Tool names, without those of MCP servers.'),
  requiresConfirmation: z.array(z.string()).describe('Tools that need approval.'),
  subagents: z.array(z.string()).describe('Agents it can delegate to.'),
  mcp: z.array(z.string()).describe('MCP servers whose tools it can use.'),
  canAsk: z.boolean(),
  questions: z.strictObject({
    timeout: DurationText,
    onTimeout: OnTimeout,
    remind: z.array(DurationText).describe('When to send reminders, counted from when the question is asked.'),
    escalate: z.array(
      z.strictObject({
        after: DurationText,
        to: z.array(z.string()),
        notify: z.array(z.string()).optional(),
      }),
    ),
    notify: z.array(z.string()).describe('Destinations of notifications.'),
    perTurn: z.number().int(),
    perConversation: z.number().int(),
    maxQuestions: z.number().int(),
    maxOptions: z.number().int(),
    assignees: z.array(z.string()),
  }),
  budget: Budget.optional(),
  visibleTo: z.array(z.string()),
  trigger: z
    .strictObject({ url: z.string(), signed: z.boolean() })
    .nullable()
    .describe('Its webhook URL, and whether requests must be signed.'),
});
export type AgentView = z.infer<typeof AgentView>;

export function serializeQuestionPolicy(policy: Agent['questions']): AgentView['questions'] {
  const { remind = [], escalate = [], notify = [] } = policy;
  return {
    ...policy,
    timeout: serializeDuration(policy.timeout),
    remind: remind.map(serializeDuration),
    escalate: escalate.map((step) => ({ ...step, after: serializeDuration(step.after) })),
    notify,
  };
}

/** Returns the first `{{` that is not part of a valid placeholder, and would stay in the text. */
function findInvalidPlaceholder(template: string): string | undefined {
  // The same pattern as in the renderer. A newline keeps the text around a placeholder from forming another one.
  const remainder = template.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (placeholder, path: string) =>
    path === '.' || path.split('.').every((name) => name !== '') ? '\n' : placeholder,
  );
  return /\{\{.{0,40}?(\}\}|$)|\{\{.{0,20}/m.exec(remainder)?.[0];
}
