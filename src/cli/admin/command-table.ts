import type { CommandDefinition } from '#cli/command-table';
import type { AdminHandler } from '#cli/context';
import { EXIT, type ExitCode } from '#cli/errors';

/** The definition of an administration command. It reads the configuration and does not call the API. */
export interface AdminCommandDefinition extends Omit<CommandDefinition, 'load'> {
  /** Exit code for errors other than wrong usage. */
  failureExit: ExitCode;
  loadAdmin(): Promise<AdminHandler<never>>;
}

const JSON_OPTION = { flags: '--json', description: 'For programs: one JSON document' };
const SAMPLE_OPTION = { flags: '--sample <count>', description: 'Replay only that many of the open ones, of all ages' };

/** All admin commands, in the order of `parley admin --help`. */
export const ADMIN_COMMANDS: readonly AdminCommandDefinition[] = [
  {
    name: 'key',
    argumentSyntax: '',
    summary: 'Make an API key, or a key to encrypt with',
    details:
      'Shows the key once, and the entry for PARLEY_API_KEYS, which holds only its hash. With --encryption: the entry for ' +
      'PARLEY_ENCRYPTION_KEYS, to encrypt what is stored in Temporal.',
    options: [
      {
        flags: '--name <name>',
        description: 'The caller: conversations belong to it, and answers are recorded as its own',
      },
      {
        flags: '--scopes <scopes>',
        description: 'Of conversations:read, conversations:write, questions:answer and admin, with commas between',
      },
      { flags: '--encryption', description: 'Make a key to encrypt with' },
      {
        flags: '--id <id>',
        description: 'The id of a key to encrypt with; by default the day and a few random letters',
      },
    ],
    examples: [
      ['parley admin key --name maria --scopes conversations:read,questions:answer', 'a key for one person'],
      ['parley admin key --encryption', 'a key to encrypt with'],
    ],
    failureExit: EXIT.failed,
    loadAdmin: async () => (await import('#cli/admin/key')).runCreateKey,
  },
  {
    name: 'agents',
    argumentSyntax: '',
    summary: 'Check the agents in PARLEY_AGENTS, and list them',
    details: 'Names every fault of every file, and ends with 1 then. With --json: {items, warnings, faults}.',
    options: [JSON_OPTION],
    examples: [
      ['parley admin agents', 'before a deploy'],
      ['parley admin agents --json', 'for a program'],
    ],
    failureExit: EXIT.failed,
    loadAdmin: async () => (await import('#cli/admin/agents')).runCheckAgents,
  },
  {
    name: 'channels',
    argumentSyntax: '[place...]',
    summary: 'Send a test by every channel, and say what is wrong where it fails',
    details: 'To the places that the agents name, or only to those given. Ends with 1 where one fails.',
    options: [{ flags: '--secret <url>', description: 'Send nothing: show what that receiver checks signatures with' }],
    examples: [
      ['parley admin channels', 'every place that agents name'],
      ['parley admin channels slack:#ops email:you@example.com', 'these two'],
      ['parley admin channels webhook:https://hooks.example.com/parley', 'one receiver of webhooks'],
    ],
    failureExit: EXIT.failed,
    loadAdmin: async () => (await import('#cli/admin/channels')).runTestChannels,
  },
  {
    name: 'replay',
    argumentSyntax: '[file...]',
    summary: 'Replay histories on this build, and list what would break',
    details:
      'Takes files (.pb.gz, or .json of `temporal workflow show --output json`), folders of them, or what is in ' +
      'TEMPORAL_NAMESPACE at TEMPORAL_ADDRESS. Ends with 0 if all of them go on, with 1 if some would break, and with 2 if ' +
      'it could not tell. With --json: {replayed, unbegun, broken, locked}.',
    options: [
      { flags: '--open', description: 'The open conversations' },
      { flags: '--id <id>', description: 'One conversation, open or not' },
      { flags: '--limit <count>', description: 'Only that many of the open ones, the newest' },
      SAMPLE_OPTION,
      JSON_OPTION,
    ],
    examples: [
      ['parley admin replay --open', 'before a deploy'],
      ['parley admin replay --open --sample 500', '500 of all ages'],
      ['parley admin replay test/histories', 'recorded histories'],
    ],
    failureExit: EXIT.usage,
    loadAdmin: async () => (await import('#cli/admin/replay/run-replay')).runReplay,
  },
  {
    name: 'promote',
    argumentSyntax: '[build]',
    summary: 'Make a build of the workers the current one',
    details:
      'Its workers take up every conversation, parked ones too, at its next step. The open conversations are replayed on ' +
      'the code here before. Ends with 0 if it is done, with 1 if it was refused, and with 2 if it could not run. To go ' +
      'back, promote the older build.',
    options: [
      { flags: '--ramp <percent>', description: 'Only that share of the conversations' },
      { flags: '--unversioned', description: 'The workers that run without PARLEY_BUILD_ID' },
      { flags: '--deployment <name>', description: 'In place of PARLEY_DEPLOYMENT, or parley' },
      { flags: '--no-replay', description: 'Without the replay, as for an older build whose code is not here' },
      SAMPLE_OPTION,
      { flags: '--wait <seconds>', description: 'How long to wait for its workers to ask for work, 30 unless set' },
      { flags: '--force', description: 'Even if no worker of it asks for work' },
      { flags: '--task-queue <name>', description: 'In place of the default task queue' },
    ],
    examples: [
      ['parley admin promote 2026-11-17', 'after a replay of what is open'],
      ['parley admin promote 2026-11-17 --ramp 10', 'a tenth of the conversations'],
      ['parley admin promote --unversioned', 'the workers without a build id'],
    ],
    failureExit: EXIT.usage,
    loadAdmin: async () => (await import('#cli/admin/promote/run-promote')).runPromote,
  },
];
