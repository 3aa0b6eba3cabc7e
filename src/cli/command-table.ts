import type { AdminContext, CommandContext, CommandHandler } from './context';

/** The definition of one command. The handler is loaded on demand, so that `--help` loads nothing else. */
export interface CommandDefinition<Context extends AdminContext = CommandContext> {
  name: string;
  /** Positional arguments as commander writes them: `<id> [message]`. */
  argumentSyntax: string;
  summary: string;
  /** Additional text for the command's own help. */
  details?: string;
  options: readonly CommandOption[];
  /** Example command lines with descriptions. */
  examples: readonly (readonly [command: string, description: string])[];
  load(): Promise<CommandHandler<never, Context>>;
}

/** Flags as commander writes them: `--comment <text>`. A repeatable option gives the command a list. */
export type CommandOption = readonly [flags: string, description: string, repeatable?: 'repeatable'];

/** Options shared by every command that watches a conversation. */
const WATCH_OPTIONS: readonly CommandOption[] = [
  ['--no-input', "Don't prompt; exit 3 if an answer is needed"],
  ['--wait', 'Follow until it ends, even if others answer'],
  ['--events', 'Print each event as a line of JSON'],
];
const QUESTION_OPTION: CommandOption = ['--question <id>', 'Question id (default: the open one)'];

/** All commands, in the order of `parley --help`. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'start',
    argumentSyntax: '[agent] [message...]',
    summary: 'Start a conversation and follow it',
    details:
      'Put the message in quotes; - reads it from stdin. The default agent is assistant. You answer its questions here.',
    options: [
      ['--detach', 'Print the id and exit'],
      ['--id <id>', 'Custom id (idempotent)'],
      ['--timeout <time>', 'How long questions wait: 90s, 4h, 3d or never'],
      ['--on-timeout <what>', 'What happens at the deadline: continue, default, fail or wait'],
      ['--assign <name>', 'Who can see it and answer (repeatable)', 'repeatable'],
      ['--visible-to <name>', 'Who can see it (repeatable)', 'repeatable'],
      ['--notify <place>', 'Where to send questions, such as slack:#ops (repeatable)', 'repeatable'],
      ['--callback <url>', 'URL that receives its events'],
      ['--metadata <json>', 'JSON object to store with it'],
      ...WATCH_OPTIONS,
    ],
    examples: [
      ['parley start "Plan our team offsite"', 'talk to the assistant'],
      ['parley start researcher "Compare these two"', 'talk to another agent'],
      ['git diff | parley start -', 'read the message from a pipe'],
      ['parley start --detach "Clean up"', 'print the id and exit'],
    ],
    load: async () => (await import('#cli/commands/start')).runStart,
  },
  {
    name: 'inbox',
    argumentSyntax: '',
    summary: 'Answer open questions one by one',
    details:
      'Shows open questions live, most urgent first: pick one, answer it, and the next follows. On a pipe, it asks line by line.',
    options: [
      ['--agent <name>', 'Only questions from this agent'],
      ['--conversation <id>', 'Only questions from this conversation and its sub-agents'],
      ['--list', 'List open questions: conversation, question, agent, deadline and text, tab-separated'],
      ['--fields', 'With --list, one line per field: conversation, question, key, header and text'],
    ],
    examples: [
      ['parley inbox', 'all open questions'],
      ['parley inbox --agent deploy-captain', 'questions from one agent'],
      ['parley inbox --list | wc -l', 'count open questions'],
    ],
    load: async () => (await import('#cli/commands/inbox')).runInbox,
  },
  {
    name: 'answer',
    argumentSyntax: '<id> [-]',
    summary: 'Answer a question in a conversation',
    details:
      'Prompts you with a form in a terminal, and line by line on a pipe. --field, --other, --comment or - send the answer ' +
      'without a prompt. Name a field by its key (q1), header or text. - reads the answer from stdin as JSON.',
    options: [
      ['--field <name=value>', 'Value of a field; repeat it to choose several options', 'repeatable'],
      ['--other <name=text>', 'Your own value instead of an option (repeatable)', 'repeatable'],
      ['--comment <text>', 'Comment for the agent'],
      QUESTION_OPTION,
    ],
    examples: [
      ['parley answer ID', 'answer its open question'],
      ['parley answer ID --field q1=PostgreSQL', 'answer without a prompt'],
      ['parley answer ID --field Size=S --field Size=M --other Size=XXL', 'choose two options and add your own'],
      [`echo '{"q1": "PostgreSQL"}' | parley answer ID --json -`, 'answer from a script'],
    ],
    load: async () => (await import('#cli/commands/answer')).runAnswer,
  },
  {
    name: 'decline',
    argumentSyntax: '<id>',
    summary: 'Skip a question; the agent continues',
    options: [['--reason <text>', 'Reason for the agent'], QUESTION_OPTION],
    examples: [['parley decline ID', 'skip its open question']],
    load: async () => (await import('#cli/commands/decline')).runDecline,
  },
  {
    name: 'watch',
    argumentSyntax: '<id>',
    summary: 'Follow a conversation and answer its questions',
    options: [['--from-start', 'Show history first'], ...WATCH_OPTIONS],
    examples: [
      ['parley watch ID', 'follow from now on'],
      ['parley watch ID --no-input --wait', 'follow until it ends, without prompts'],
    ],
    load: async () => (await import('#cli/commands/watch')).runWatch,
  },
  {
    name: 'say',
    argumentSyntax: '<id> <message...>',
    summary: 'Send a message and follow',
    details:
      'Resumes a finished conversation. While a free-text question is open, the message answers it. - reads it from stdin.',
    options: [['--detach', "Don't follow"], ...WATCH_OPTIONS],
    examples: [
      ['parley say ID "Make it two days"', 'send a message'],
      ['parley say ID - --detach < notes.md', "read it from a file, don't follow"],
    ],
    load: async () => (await import('#cli/commands/say')).runSay,
  },
  {
    name: 'list',
    argumentSyntax: '',
    summary: 'List conversations, open ones first',
    options: [
      ['--status <status>', 'Only running, waiting, completed, failed or cancelled'],
      ['--agent <name>', 'Only conversations of this agent'],
      ['--search <words>', 'Only those with all these words in id, title, agent or result'],
      ['--limit <count>', 'Maximum number (default: 20)'],
    ],
    examples: [
      ['parley list --status waiting', 'those that need an answer'],
      ['parley list --limit 1000 --json', 'up to 1,000 as JSON'],
    ],
    load: async () => (await import('#cli/commands/list')).runList,
  },
  {
    name: 'show',
    argumentSyntax: '<id>',
    summary: 'Show a conversation in full',
    options: [['--timeline', 'With --json: print the timeline as {items}']],
    examples: [
      ['parley show ID', 'messages, tools and questions'],
      ['parley show ID --json', 'its state as JSON'],
    ],
    load: async () => (await import('#cli/commands/show')).runShow,
  },
  {
    name: 'cancel',
    argumentSyntax: '<id>',
    summary: 'Cancel a conversation',
    options: [['--reason <text>', 'Reason, shown in the conversation']],
    examples: [['parley cancel ID', 'a message resumes it']],
    load: async () => (await import('#cli/commands/cancel')).runCancel,
  },
  {
    name: 'export',
    argumentSyntax: '<id>',
    summary: 'Export a conversation as JSON',
    options: [],
    examples: [['parley export ID > offsite.json', 'write to a file']],
    load: async () => (await import('#cli/commands/export')).runExport,
  },
  {
    name: 'agents',
    argumentSyntax: '[name]',
    summary: 'List agents, or show one in full',
    options: [],
    examples: [['parley agents deploy-captain', 'one agent, with its tools and settings']],
    load: async () => (await import('#cli/commands/agents')).runAgents,
  },
  {
    name: 'doctor',
    argumentSyntax: '',
    summary: 'Check your setup and suggest fixes',
    options: [],
    examples: [
      ['parley doctor', 'if nothing works'],
      ['PARLEY_URL=https://parley.example.com parley doctor', 'check another server'],
    ],
    load: async () => (await import('#cli/commands/doctor')).runDoctor,
  },
];
