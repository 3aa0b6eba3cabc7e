import type { CommandHandler } from './context';

/** The definition of one command. The handler is loaded on demand, so that `--help` loads nothing else. */
export interface CommandDefinition {
  name: string;
  /** Positional arguments as commander writes them: `<id> [message]`. */
  argumentSyntax: string;
  summary: string;
  /** Additional text for the command's own help. */
  details?: string;
  options: readonly CommandOption[];
  /** Example command lines with descriptions. */
  examples: readonly (readonly [command: string, description: string])[];
  load(): Promise<CommandHandler<never>>;
}

export interface CommandOption {
  /** As commander writes them: `--comment <text>`. */
  flags: string;
  description: string;
  /** Can be repeated; the command gets a list. */
  isList?: true;
}

/** Options shared by every command that watches a conversation. */
const WATCH_OPTIONS: readonly CommandOption[] = [
  { flags: '--no-input', description: "Don't prompt; exit 3 if an answer is needed" },
  { flags: '--wait', description: 'Follow until it ends, even if others answer' },
  { flags: '--events', description: 'Print each event as a line of JSON' },
];
const DETACH_OPTION: CommandOption = { flags: '--detach', description: "Don't follow" };
const QUESTION_OPTION: CommandOption = {
  flags: '--question <id>',
  description: 'Question id (default: the open one)',
};

/** All commands, in the order of `parley --help`. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'start',
    argumentSyntax: '[agent] [message...]',
    summary: 'Start a conversation and follow it',
    details:
      'Put the message in quotes; - reads it from stdin. The default agent is assistant. You answer its questions here.',
    options: [
      { flags: '--detach', description: 'Print the id and exit' },
      { flags: '--id <id>', description: 'Custom id (idempotent)' },
      { flags: '--timeout <time>', description: 'How long questions wait: 90s, 4h, 3d or never' },
      { flags: '--on-timeout <what>', description: 'What happens at the deadline: continue, default, fail or wait' },
      { flags: '--assign <name>', description: 'Who can see it and answer (repeatable)', isList: true },
      { flags: '--visible-to <name>', description: 'Who can see it (repeatable)', isList: true },
      {
        flags: '--notify <place>',
        description: 'Where to send questions, such as slack:#ops (repeatable)',
        isList: true,
      },
      { flags: '--callback <url>', description: 'URL that receives its events' },
      { flags: '--metadata <json>', description: 'JSON object to store with it' },
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
      { flags: '--agent <name>', description: 'Only questions from this agent' },
      { flags: '--conversation <id>', description: 'Only questions from this conversation and its sub-agents' },
      {
        flags: '--list',
        description: 'List open questions: conversation, question, agent, deadline and text, tab-separated',
      },
      {
        flags: '--fields',
        description: 'With --list, one line per field: conversation, question, key, header and text',
      },
    ],
    examples: [
      ['parley inbox', 'all open questions'],
      ['parley inbox --agent deploy-captain', 'questions from one agent'],
      ['parley inbox --list | wc -l', 'count open questions'],
      ['parley inbox --json', 'all of them as JSON'],
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
      {
        flags: '--field <name=value>',
        description: 'Value of a field; repeat it to choose several options',
        isList: true,
      },
      { flags: '--other <name=text>', description: 'Your own value instead of an option (repeatable)', isList: true },
      { flags: '--comment <text>', description: 'Comment for the agent' },
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
    options: [{ flags: '--reason <text>', description: 'Reason for the agent' }, QUESTION_OPTION],
    examples: [
      ['parley decline ID', 'skip its open question'],
      ['parley decline ID --reason "Not mine to decide"', 'and say why'],
    ],
    load: async () => (await import('#cli/commands/decline')).runDecline,
  },
  {
    name: 'watch',
    argumentSyntax: '<id>',
    summary: 'Follow a conversation and answer its questions',
    options: [{ flags: '--from-start', description: 'Show history first' }, ...WATCH_OPTIONS],
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
    options: [DETACH_OPTION, ...WATCH_OPTIONS],
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
      { flags: '--status <status>', description: 'Only running, waiting, completed, failed or cancelled' },
      { flags: '--agent <name>', description: 'Only conversations of this agent' },
      { flags: '--search <words>', description: 'Only those with all these words in id, title, agent or result' },
      { flags: '--limit <count>', description: 'Maximum number (default: 20)' },
    ],
    examples: [
      ['parley list', 'the newest 20'],
      ['parley list --status waiting', 'those that need an answer'],
      ['parley list --limit 1000 --json', 'up to 1,000 as JSON'],
    ],
    load: async () => (await import('#cli/commands/list')).runList,
  },
  {
    name: 'show',
    argumentSyntax: '<id>',
    summary: 'Show a conversation in full',
    options: [{ flags: '--timeline', description: 'With --json: print the timeline as {items}' }],
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
    options: [{ flags: '--reason <text>', description: 'Reason, shown in the conversation' }],
    examples: [
      ['parley cancel ID', 'a message resumes it'],
      ['parley cancel ID --reason "No longer needed"', 'and say why'],
    ],
    load: async () => (await import('#cli/commands/cancel')).runCancel,
  },
  {
    name: 'export',
    argumentSyntax: '<id>',
    summary: 'Export a conversation as JSON',
    options: [
      { flags: '--output <file>', description: 'Write to this file instead of stdout' },
      { flags: '--force', description: 'Overwrite existing file' },
    ],
    examples: [
      ['parley export ID --output offsite.json', 'write to a file'],
      ['parley export ID | gzip > offsite.json.gz', 'write to a pipe'],
    ],
    load: async () => (await import('#cli/commands/export')).runExport,
  },
  {
    name: 'agents',
    argumentSyntax: '[name]',
    summary: 'List agents, or show one in full',
    options: [],
    examples: [
      ['parley agents', 'all agents'],
      ['parley agents deploy-captain', 'one agent, with its tools and settings'],
    ],
    load: async () => (await import('#cli/commands/agents')).runAgents,
  },
  {
    name: 'open',
    argumentSyntax: '<id>',
    summary: 'Open a conversation in the web app',
    options: [
      { flags: '--temporal', description: 'Open it in the Temporal UI instead' },
      { flags: '--print', description: 'Print the links only' },
    ],
    examples: [
      ['parley open ID', 'in your browser'],
      ['parley open ID --print', 'without a browser'],
    ],
    load: async () => (await import('#cli/commands/open')).runOpen,
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
