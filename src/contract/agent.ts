import { z } from 'zod';
import { Audience } from './access';
import { Duration, Period, writeDuration } from './duration';
import { OnTimeout } from './question';
import { CallbackUrl, Escalation, Notify, Remind } from './telling';
import { badPlace } from './template';

export const AgentName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'an agent name is lower-case letters, digits and hyphens, 64 at most');

function upTo(most: number, least = 1) {
  const range = `must be from ${least} to ${most.toLocaleString('en')}`;
  return z.number().int().min(least, range).max(most, range);
}

/** How an agent asks. `perTurn` counts from one message of the user to the next. */
export const QuestionPolicy = z.strictObject({
  timeout: Duration.default(24 * 3_600_000),
  onTimeout: OnTimeout.default('continue'),
  remind: Remind.default([]),
  escalate: z.array(Escalation).max(10).default([]),
  notify: Notify.default([]),
  perTurn: upTo(1_000).default(25),
  perConversation: upTo(10_000).default(100),
  maxQuestions: upTo(20).default(4),
  maxOptions: upTo(50, 2).default(4),
  /** Who may answer, unless the start says otherwise. */
  assignees: Audience.default([]),
});

/** How a webhook starts a conversation with this agent. */
export const Trigger = z.strictObject({
  message: z
    .string()
    .regex(/\S/, 'write the message, with {{ path.in.the.body }} where values go')
    .max(20_000)
    .refine((text) => badPlace(text) === undefined, {
      error: ({ input }) =>
        `${badPlace(String(input))} is no place for a value: write {{ path.in.the.body }}, or {{ . }} for all of it`,
    })
    .describe('The first message, with {{ path.in.the.body }} where values go.'),
  secret: z
    .string()
    .regex(
      /^[A-Z][A-Z0-9_]{0,99}$/,
      'name the environment variable that holds the secret, as in PARLEY_HOOK_INTAKE; never write the secret itself here',
    )
    .optional(),
});
export type Trigger = z.infer<typeof Trigger>;

const ToolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, 'a tool name is letters, digits, underscores and hyphens');

/** A tool the agent may use, by name; what else stands beside it is for the tool itself to check. */
export const ToolEntry = z.preprocess(
  (entry) => (typeof entry === 'string' ? { name: entry } : entry),
  z.looseObject(
    { name: ToolName, requiresConfirmation: z.boolean().optional() },
    'write the name of a tool, or `name: …` with its settings below it',
  ),
);
export type ToolEntry = z.infer<typeof ToolEntry>;

/** Text that may name environment variables as `${NAME}`: they are read where the tool runs, and pinned nowhere. */
const Texts = z.record(z.string(), z.string());

const mcpServer = {
  timeout: Period.refine((ms) => ms <= 4 * 60_000, 'at most 4m')
    .default(60_000)
    .describe('How long a call may take.'),
  tools: z
    .array(z.string())
    .min(1, 'name at least one of its tools, or leave this out for all of them')
    .optional()
    .describe('Only these of its tools.'),
};

/** A name and more, or an option anywhere; a path may have blanks in it. */
const WITH_ARGUMENTS = /^[^\s/\\]+\s+\S|\s-/;

/** An MCP server: a program that is started, or an address that is called. */
export const McpServer = z.union(
  [
    z.strictObject({
      command: z
        .string()
        .min(1)
        .refine((text) => !WITH_ARGUMENTS.test(text), 'is the program alone; put the arguments under `args`'),
      args: z.array(z.string()).default([]),
      env: Texts.default({}),
      cwd: z.string().optional(),
      ...mcpServer,
    }),
    z.strictObject({
      url: z.url({ protocol: /^https?$/, error: 'write a web address, with http:// or https://' }),
      headers: Texts.default({}),
      ...mcpServer,
    }),
  ],
  {
    error: ({ input }) =>
      ['command', 'url'].every((field) => Object.hasOwn(Object(input), field))
        ? 'not both: `command` for a program to start, `url` for an address to call'
        : 'say either `command`, a program to start, or `url`, an address to call',
  },
);
export type McpServer = z.infer<typeof McpServer>;

export const McpName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'the name of a server is lower-case letters, digits and hyphens');

/** The front matter, field by field; what the fields have to do with each other is checked where files are read. */
export const AgentFile = z.strictObject({
  name: AgentName,
  description: z.string().min(1).max(500),
  model: z.string().min(1).max(200).default('claude-sonnet-5-5'),
  maxTokens: upTo(1_000_000).default(16_000),
  /** Of the model, in tokens, where its API does not tell or less of it shall be used. */
  contextWindow: upTo(10_000_000, 10_000).optional(),
  tools: z
    .array(ToolEntry)
    .max(100)
    .default([{ name: 'write_todos' }]),
  subagents: z.array(AgentName).max(20).default([]),
  mcp: z.record(z.string(), McpServer).default({}),
  canAsk: z.boolean().default(true),
  questions: QuestionPolicy.default(QuestionPolicy.parse({})),
  /** Who may see its conversations, unless the start says otherwise. */
  visibleTo: Audience.default([]),
  trigger: Trigger.optional(),
  callbackUrl: CallbackUrl.optional(),
});

type File = z.infer<typeof AgentFile>;

/** What came with 0.3: conversations pinned before have none of it. */
type Late = 'tools' | 'subagents' | 'mcp' | 'canAsk' | 'callbackUrl';
type LatePolicy = 'remind' | 'escalate' | 'notify';

/** An agent as its file says; pinned into the conversation when it starts. */
export type Agent = Omit<File, Late | 'questions'> &
  Partial<Pick<File, Late>> & {
    questions: Omit<File['questions'], LatePolicy> & Partial<Pick<File['questions'], LatePolicy>>;
    prompt: string;
    /** Since 0.8: shows a worker that the API pinned this, and not whoever else can reach Temporal. */
    seals?: string[];
  };

const Told = z.string().describe('A duration: 90s, 15m, 4h, 3d or never.');

/** What is told of an agent to those who may start it. */
export const AgentView = z.strictObject({
  name: AgentName,
  description: z.string(),
  model: z.string(),
  maxTokens: z.number().int(),
  tools: z.array(z.string()).describe('By name; those of MCP servers are told to the model only.'),
  requiresConfirmation: z.array(z.string()).describe('The tools that run only when a person said yes.'),
  subagents: z.array(z.string()).describe('The agents it may delegate to.'),
  mcp: z.array(z.string()).describe('The MCP servers whose tools it may use.'),
  canAsk: z.boolean(),
  questions: z.strictObject({
    timeout: Told,
    onTimeout: OnTimeout,
    remind: z.array(Told).describe('After how long a question is brought to mind again.'),
    escalate: z.array(
      z.strictObject({ after: Told, to: z.array(z.string()), notify: z.array(z.string()).optional() }),
    ),
    notify: z.array(z.string()).describe('Where notices go.'),
    perTurn: z.number().int(),
    perConversation: z.number().int(),
    maxQuestions: z.number().int(),
    maxOptions: z.number().int(),
    assignees: z.array(z.string()),
  }),
  visibleTo: z.array(z.string()),
  trigger: z
    .strictObject({ url: z.string(), signed: z.boolean() })
    .nullable()
    .describe('Where a webhook starts it, and whether it has to be signed.'),
});
export type AgentView = z.infer<typeof AgentView>;

/** The question policy as people write it. */
export function writePolicy(policy: Agent['questions']): AgentView['questions'] {
  const { remind = [], escalate = [], notify = [] } = policy;
  return {
    ...policy,
    timeout: writeDuration(policy.timeout),
    remind: remind.map(writeDuration),
    escalate: escalate.map((step) => ({ ...step, after: writeDuration(step.after) })),
    notify,
  };
}
