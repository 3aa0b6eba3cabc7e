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
  { flags: '--no-input', description: 'Ask nobody here: end with 3 where it waits for an answer' },
  { flags: '--wait', description: 'Stay until it is over, whoever answers' },
  { flags: '--events', description: 'For programs: each event as one line of JSON' },
];
const DETACH_OPTION: CommandOption = { flags: '--detach', description: 'Do not look on' };
const QUESTION_OPTION: CommandOption = {
  flags: '--question <id>',
  description: 'Which question, the open one unless said',
};

/** All commands, in the order of `parley --help`. */
export const COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'start',
    argumentSyntax: '[agent] [message...]',
    summary: 'Start a conversation, and look on',
    details:
      'The message goes in quotes; - reads it from stdin. Without an agent it is for assistant. What is asked is asked right here.',
    options: [
      { flags: '--detach', description: 'Print its id and do not look on' },
      { flags: '--id <id>', description: 'An id of your own: started once, however often it is said' },
      { flags: '--timeout <time>', description: 'How long its questions wait, as in 90s, 4h, 3d or never' },
      { flags: '--on-timeout <what>', description: 'What happens then: continue, default, fail or wait' },
      { flags: '--assign <name>', description: 'Who may see it and answer; may be given again', isList: true },
      { flags: '--visible-to <name>', description: 'Who may see it; may be given again', isList: true },
      {
        flags: '--notify <place>',
        description: 'Where to tell of questions, as in slack:#ops; may be given again',
        isList: true,
      },
      { flags: '--callback <url>', description: 'A web address that is told what happens' },
      { flags: '--metadata <json>', description: 'A JSON object to keep with it' },
      ...WATCH_OPTIONS,
    ],
    examples: [
      ['parley start "Plan our team offsite"', 'talk to the assistant'],
      ['parley start researcher "Compare these two"', 'talk to another agent'],
      ['git diff | parley start -', 'the message from a pipe'],
      ['parley start --detach "Clean up"', 'only its id, and it goes on'],
    ],
    load: async () => (await import('#cli/commands/start')).runStart,
  },
  {
    name: 'inbox',
    argumentSyntax: '',
    summary: 'Answer what waits, one question after the other',
    details:
      'Shows what waits, most urgent first and live: pick one, answer it, and the next is there. On a pipe the questions are asked in turn, line by line.',
    options: [
      { flags: '--agent <name>', description: 'Only what this agent asks' },
      { flags: '--conversation <id>', description: 'Only what this conversation and its sub-agents ask' },
      {
        flags: '--list',
        description: 'Only list what waits: conversation, question, agent, deadline and text, with tabs',
      },
      {
        flags: '--fields',
        description: 'With --list: a line for each field, as conversation, question, key, header and text',
      },
    ],
    examples: [
      ['parley inbox', 'everything that waits'],
      ['parley inbox --agent deploy-captain', 'what one agent asks'],
      ['parley inbox --list | wc -l', 'how many wait'],
      ['parley inbox --json', 'all of them, for a program'],
    ],
    load: async () => (await import('#cli/commands/inbox')).runInbox,
  },
  {
    name: 'answer',
    argumentSyntax: '<id> [-]',
    summary: 'Answer what a conversation asks',
    details:
      'Asks you right here, by keys in a terminal and line by line on a pipe. With any of --field, --other, --comment or - nobody ' +
      'is asked. A field goes by its key (q1), its header or its text; - is an answer as JSON on stdin.',
    options: [
      {
        flags: '--field <name=value>',
        description: 'The value of a field; again for several choices',
        isList: true,
      },
      { flags: '--other <name=text>', description: 'Something that is not among its options', isList: true },
      { flags: '--comment <text>', description: 'Something to add, for the agent to read' },
      QUESTION_OPTION,
    ],
    examples: [
      ['parley answer ID', 'the question that conversation waits with'],
      ['parley answer ID --field q1=PostgreSQL', 'without being asked'],
      ['parley answer ID --field Size=S --field Size=M --other Size=XXL', 'several choices, one of your own'],
      [`echo '{"q1": "PostgreSQL"}' | parley answer ID --json -`, 'for a program'],
    ],
    load: async () => (await import('#cli/commands/answer')).runAnswer,
  },
  {
    name: 'decline',
    argumentSyntax: '<id>',
    summary: 'Decline to answer: the agent hears so, and goes on',
    options: [{ flags: '--reason <text>', description: 'Why, for the agent to read' }, QUESTION_OPTION],
    examples: [
      ['parley decline ID', 'the question that is open'],
      ['parley decline ID --reason "Not mine to decide"', 'and say why'],
    ],
    load: async () => (await import('#cli/commands/decline')).runDecline,
  },
  {
    name: 'watch',
    argumentSyntax: '<id>',
    summary: 'Look on at a conversation, and answer what it asks',
    options: [{ flags: '--from-start', description: 'Tell the whole story first' }, ...WATCH_OPTIONS],
    examples: [
      ['parley watch ID', 'what happens from now on'],
      ['parley watch ID --no-input --wait', 'stay until it is over, and answer nothing'],
    ],
    load: async () => (await import('#cli/commands/watch')).runWatch,
  },
  {
    name: 'say',
    argumentSyntax: '<id> <message...>',
    summary: 'Say more in a conversation, and look on',
    details:
      'It takes one that is over up again. While a question for text is open, it is the answer. - reads it from stdin.',
    options: [DETACH_OPTION, ...WATCH_OPTIONS],
    examples: [
      ['parley say ID "Make it two days"', 'a further message'],
      ['parley say ID - --detach < notes.md', 'from a file, and do not look on'],
    ],
    load: async () => (await import('#cli/commands/say')).runSay,
  },
  {
    name: 'list',
    argumentSyntax: '',
    summary: 'List conversations, those that are open first',
    options: [
      { flags: '--status <status>', description: 'Only running, waiting, completed, failed or cancelled ones' },
      { flags: '--agent <name>', description: 'Only those of this agent' },
      { flags: '--search <words>', description: 'Only those with all of these words in id, title, agent or result' },
      { flags: '--limit <count>', description: 'How many at most, 20 unless said' },
    ],
    examples: [
      ['parley list', 'the newest twenty'],
      ['parley list --status waiting', 'those that wait for a person'],
      ['parley list --limit 1000 --json', 'up to a thousand, for a program'],
    ],
    load: async () => (await import('#cli/commands/list')).runList,
  },
  {
    name: 'show',
    argumentSyntax: '<id>',
    summary: 'Show all of a conversation',
    options: [{ flags: '--timeline', description: 'With --json: what happened in it, as {items}' }],
    examples: [
      ['parley show ID', 'from the first word to the last'],
      ['parley show ID --json', 'how it stands, for a program'],
    ],
    load: async () => (await import('#cli/commands/show')).runShow,
  },
  {
    name: 'cancel',
    argumentSyntax: '<id>',
    summary: 'End a conversation, whatever it is doing',
    options: [{ flags: '--reason <text>', description: 'Why, for whoever looks later' }],
    examples: [
      ['parley cancel ID', 'for good'],
      ['parley cancel ID --reason "No longer needed"', 'and say why'],
    ],
    load: async () => (await import('#cli/commands/cancel')).runCancel,
  },
  {
    name: 'export',
    argumentSyntax: '<id>',
    summary: 'Take a conversation with you, as one JSON document',
    options: [
      { flags: '--output <file>', description: 'Where to write it, in place of stdout' },
      { flags: '--force', description: 'Write over a file that is there' },
    ],
    examples: [
      ['parley export ID --output offsite.json', 'into a file, whole or not at all'],
      ['parley export ID | gzip > offsite.json.gz', 'into a program'],
    ],
    load: async () => (await import('#cli/commands/export')).runExport,
  },
  {
    name: 'agents',
    argumentSyntax: '[name]',
    summary: 'List agents, or show one in full',
    options: [],
    examples: [
      ['parley agents', 'all of them'],
      ['parley agents deploy-captain', 'what it may do, and how it asks'],
    ],
    load: async () => (await import('#cli/commands/agents')).runAgents,
  },
  {
    name: 'open',
    argumentSyntax: '<id>',
    summary: 'Open a conversation in the web app',
    options: [
      { flags: '--temporal', description: 'Open its page in the Temporal UI' },
      { flags: '--print', description: 'Open nothing: show the links' },
    ],
    examples: [
      ['parley open ID', 'in your browser'],
      ['parley open ID --print', 'where there is no browser'],
    ],
    load: async () => (await import('#cli/commands/open')).runOpen,
  },
  {
    name: 'doctor',
    argumentSyntax: '',
    summary: 'Look at what is set up, what answers, and how to mend what does not',
    options: [],
    examples: [
      ['parley doctor', 'where nothing works'],
      ['PARLEY_URL=https://parley.example.com parley doctor', 'before you use another Parley'],
    ],
    load: async () => (await import('#cli/commands/doctor')).runDoctor,
  },
];
