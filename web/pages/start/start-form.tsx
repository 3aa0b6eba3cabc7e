import { useQueryClient } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { AgentView } from '#contract/agent';
import type { OnTimeout } from '#contract/question';
import { apiClient } from '../../api/client';
import { reuseOrCreateAttempt } from '../../api/idempotency';
import { joinClassNames } from '../../lib/class-names';
import { useSingleFlight } from '../../lib/use-single-flight';
import { useDraft } from '../../session/drafts';
import { Button } from '../../ui/button';
import input from '../../ui/styles/input.module.css';
import { AgentCards } from './agent-cards';
import css from './start-form.module.css';
import {
  chooseAgent,
  EMPTY_START_DRAFT,
  findExampleMessages,
  MESSAGE_REQUIRED,
  type StartDraft,
  type StartFormErrors,
  toStartFormErrors,
  toStartInput,
} from './start-form-state';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);
const FIRST_INVALID = ':is([aria-invalid="true"], [data-invalid] :checked)';

/** Who shall do it, what is to be done, and the one button that starts it. */
export function StartForm({ agents }: { agents: AgentView[] }) {
  const form = useRef<HTMLFormElement>(null);
  const [, go] = useLocation();
  const asked = new URLSearchParams(useSearch()).get('agent');
  const { draft, change, faults, isSending, start } = useStartConversation();
  const names = agents.map(({ name }) => name);
  const agent = chooseAgent(names, asked, draft.agent);

  // Once for each try: while one mends what was wrong, nothing must take the focus.
  const seeksFault = useRef(false);
  useEffect(() => {
    if (!seeksFault.current || Object.keys(faults).length === 0) return;
    seeksFault.current = false;
    form.current?.querySelector<HTMLElement>(FIRST_INVALID)?.focus();
  }, [faults]);

  const pick = (name: string) => {
    change({ agent: name });
    // What was picked goes before what the address asked for.
    if (asked !== null) go('/new', { replace: true });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    seeksFault.current = true;
    await start(agent);
  };

  return (
    <form ref={form} className={css.form} onSubmit={submit} noValidate aria-busy={isSending}>
      <AgentCards
        agents={agents}
        picked={agent}
        fault={faults.agent ?? unknownAgentError(names, asked)}
        onPick={pick}
      />
      <MessageField
        value={draft.message}
        examples={findExampleMessages(agent, names)}
        fault={faults.message}
        onChange={(message) => change({ message })}
        onSend={() => form.current?.requestSubmit()}
      />
      <TimeoutField
        value={draft.timeout}
        usual={agents.find(({ name }) => name === agent)?.questions}
        onChange={(timeout) => change({ timeout })}
      />
      {faults.form && (
        <p className={css.trouble} role="alert">
          {faults.form}
        </p>
      )}
      <div className={css.buttons}>
        <Button type="submit" look="primary" isBusy={isSending}>
          {isSending ? 'Starting …' : 'Start'}
          {!isSending && <ArrowRight size={18} aria-hidden="true" />}
        </Button>
        <p className={css.keys}>
          <kbd>{IS_MAC ? '⌘' : 'Ctrl'}</kbd> <kbd>Enter</kbd> starts it from within the text
        </p>
      </div>
    </form>
  );
}

function unknownAgentError(names: string[], asked: string | null): string | undefined {
  if (asked === null || names.includes(asked)) return undefined;
  return `There is no agent called “${asked}” here. Choose one of these.`;
}

/** What is written, what is wrong with it, and starting it once, however often the button is pressed. */
function useStartConversation() {
  const [draft, write, forget] = useDraft<StartDraft>('start', EMPTY_START_DRAFT);
  const [faults, setFaults] = useState<StartFormErrors>({});
  const { isBusy: isSending, once } = useSingleFlight();
  const queries = useQueryClient();
  const [, go] = useLocation();

  const change = (next: Partial<StartDraft>) => {
    write({ ...draft, ...next });
    setFaults({});
  };

  const send = async (agent: string) => {
    setFaults({});
    const body = toStartInput(agent, draft);
    const attempt = reuseOrCreateAttempt(draft.attempt, body);
    write({ ...draft, attempt });
    try {
      const { id } = await apiClient.start(body, { idempotencyKey: attempt.key });
      forget();
      void queries.invalidateQueries({ queryKey: ['conversations'] });
      go(`/conversations/${encodeURIComponent(id)}`);
    } catch (error) {
      setFaults(toStartFormErrors(error));
    }
  };
  const start = async (agent: string) => {
    if (draft.message.trim() === '') setFaults(MESSAGE_REQUIRED);
    else await once(() => send(agent));
  };

  return { draft, change, faults, isSending, start };
}

interface MessageFieldProps {
  value: string;
  examples: string[];
  fault: string | undefined;
  onChange: (text: string) => void;
  onSend: () => void;
}

function MessageField({ value, examples, fault, onChange, onSend }: MessageFieldProps) {
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => focusSoon(box.current), []);
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onSend();
  };
  return (
    <div>
      <label className={css.label} htmlFor={id}>
        Message
      </label>
      <textarea
        ref={box}
        id={id}
        className={joinClassNames(input.input, input.area, css.message)}
        placeholder="What is wanted, and whatever the agent should know for it"
        value={value}
        dir="auto"
        aria-invalid={fault ? true : undefined}
        aria-describedby={fault ? `${id}-fault` : undefined}
        aria-required="true"
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={press}
      />
      {fault && (
        <p id={`${id}-fault`} className={css.fault} role="alert">
          {fault}
        </p>
      )}
      {value === '' && examples.length > 0 && (
        <Examples
          examples={examples}
          onPick={(example) => {
            onChange(example);
            box.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/** Not at once: the key that led here would be typed into it. Nor on a phone, where half the screen would go. */
function focusSoon(box: HTMLElement | null): (() => void) | undefined {
  if (!window.matchMedia('(hover: hover)').matches) return undefined;
  const timer = setTimeout(() => box?.focus({ preventScroll: true }));
  return () => clearTimeout(timer);
}

function Examples({ examples, onPick }: { examples: string[]; onPick: (example: string) => void }) {
  return (
    <div className={css.examples}>
      <span>Try</span>
      {examples.map((example) => (
        <button key={example} type="button" className={css.example} onClick={() => onPick(example)}>
          {example}
        </button>
      ))}
    </div>
  );
}

const TIMEOUT_OPTIONS: [string, string][] = [
  ['15m', '15 minutes'],
  ['4h', '4 hours'],
  ['1d', '1 day'],
  ['3d', '3 days'],
  ['never', 'As long as it takes'],
];

const TIMEOUT_EFFECT: Record<OnTimeout, string> = {
  continue: 'If nobody has answered by then, the agent hears so and goes on.',
  default: 'If nobody has answered by then, its default is taken, where it has one.',
  fail: 'If nobody has answered by then, the conversation fails.',
  wait: 'If nobody has answered by then, the question stays open all the same.',
};

interface TimeoutFieldProps {
  value: string;
  /** What the agent says itself. */
  usual: AgentView['questions'] | undefined;
  onChange: (timeout: string) => void;
}

/** Folded away: mostly the agent knows best. */
function TimeoutField({ value, usual, onChange }: TimeoutFieldProps) {
  const id = useId();
  const [wasChosen] = useState(value !== '');
  return (
    <details className={css.options} open={wasChosen}>
      <summary>More options</summary>
      <div className={css.option}>
        <label className={css.label} htmlFor={id}>
          How long its questions wait
        </label>
        <select
          id={id}
          className={joinClassNames(input.input, input.narrow)}
          value={value}
          aria-describedby={`${id}-then`}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">As the agent says{usual && ` (${usual.timeout})`}</option>
          {TIMEOUT_OPTIONS.map(([timeout, words]) => (
            <option key={timeout} value={timeout}>
              {words}
            </option>
          ))}
        </select>
        <p id={`${id}-then`} className={css.hint}>
          {TIMEOUT_EFFECT[usual?.onTimeout ?? 'continue']}
        </p>
      </div>
    </details>
  );
}
