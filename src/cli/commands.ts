import type { Command, Option } from './command';

const QUESTION: Option = { flags: '--question <id>', does: 'Which question, the open one unless said' };

/** Every command there is, in the order of `parley --help`. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'answer',
    takes: '<id> [-]',
    summary: 'Answer what a conversation asks',
    about:
      'Asks you right here, by keys in a terminal and line by line on a pipe. With any of --field, --other, --comment or - nobody ' +
      'is asked. A field goes by its key (q1), its header or its text; - is an answer as JSON on stdin.',
    options: [
      {
        flags: '--field <name=value>',
        does: 'The value of a field; again for several choices',
        isList: true,
      },
      { flags: '--other <name=text>', does: 'Something that is not among its options', isList: true },
      { flags: '--comment <text>', does: 'Something to add, for the agent to read' },
      QUESTION,
    ],
    examples: [
      ['parley answer conv-7f3k', 'the question that conversation waits with'],
      ['parley answer conv-7f3k --field q1=PostgreSQL', 'without being asked'],
      [
        'parley answer conv-7f3k --field Size=S --field Size=M --other Size=XXL',
        'several choices, one of your own',
      ],
      [`echo '{"q1": "PostgreSQL"}' | parley answer conv-7f3k --json -`, 'for a program'],
    ],
    load: () => import('./commands/answer.js'),
  },
  {
    name: 'decline',
    takes: '<id>',
    summary: 'Decline to answer: the agent hears so, and goes on',
    options: [{ flags: '--reason <text>', does: 'Why, for the agent to read' }, QUESTION],
    examples: [
      ['parley decline conv-7f3k', 'the question that is open'],
      ['parley decline conv-7f3k --reason "Not mine to decide"', 'and say why'],
    ],
    load: () => import('./commands/decline.js'),
  },
  {
    name: 'list',
    takes: '',
    summary: 'List conversations, those that are open first',
    options: [
      { flags: '--status <status>', does: 'Only running, waiting, completed, failed or cancelled ones' },
      { flags: '--agent <name>', does: 'Only those of this agent' },
      { flags: '--search <words>', does: 'Only those with all of these words in id, title, agent or result' },
      { flags: '--limit <count>', does: 'How many at most, 20 unless said' },
    ],
    examples: [
      ['parley list', 'the newest twenty'],
      ['parley list --status waiting', 'those that wait for a person'],
      ['parley list --limit 1000 --json', 'up to a thousand, for a program'],
    ],
    load: () => import('./commands/list.js'),
  },
  {
    name: 'cancel',
    takes: '<id>',
    summary: 'End a conversation, whatever it is doing',
    options: [{ flags: '--reason <text>', does: 'Why, for whoever looks later' }],
    examples: [
      ['parley cancel conv-7f3k', 'for good'],
      ['parley cancel conv-7f3k --reason "No longer needed"', 'and say why'],
    ],
    load: () => import('./commands/cancel.js'),
  },
  {
    name: 'export',
    takes: '<id>',
    summary: 'Take a conversation with you, as one JSON document',
    options: [
      { flags: '--output <file>', does: 'Where to write it, in place of stdout' },
      { flags: '--force', does: 'Write over a file that is there' },
    ],
    examples: [
      ['parley export conv-7f3k --output offsite.json', 'into a file, whole or not at all'],
      ['parley export conv-7f3k | gzip > offsite.json.gz', 'into a program'],
    ],
    load: () => import('./commands/export.js'),
  },
  {
    name: 'agents',
    takes: '[name]',
    summary: 'List agents, or show one in full',
    options: [],
    examples: [
      ['parley agents', 'all of them'],
      ['parley agents deploy-captain', 'what it may do, and how it asks'],
    ],
    load: () => import('./commands/agents.js'),
  },
  {
    name: 'open',
    takes: '<id>',
    summary: 'Open a conversation in the web app',
    options: [
      { flags: '--temporal', does: 'Open its page in the Temporal UI' },
      { flags: '--print', does: 'Open nothing: show the links' },
    ],
    examples: [
      ['parley open conv-7f3k', 'in your browser'],
      ['parley open conv-7f3k --print', 'where there is no browser'],
    ],
    load: () => import('./commands/open.js'),
  },
  {
    name: 'doctor',
    takes: '',
    summary: 'Look at what is set up, what answers, and how to mend what does not',
    options: [],
    examples: [
      ['parley doctor', 'where nothing works'],
      ['PARLEY_URL=https://parley.example.com parley doctor', 'before you use another Parley'],
    ],
    load: () => import('./commands/doctor.js'),
  },
];
