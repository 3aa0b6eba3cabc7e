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
const FIRST_INVALID_SELECTOR = ':is([aria-invalid="true"], [data-invalid] :checked)';

/** Selects an agent, takes the message, and starts the conversation. */
export function StartForm({ agents }: { agents: AgentView[] }) {
  const form = useRef<HTMLFormElement>(null);
  const [, navigate] = useLocation();
  const requested = new URLSearchParams(useSearch()).get('agent');
  const { draft, updateDraft, errors, isSending, start } = useStartConversation();
  const names = agents.map(({ name }) => name);
  const agent = chooseAgent(names, requested, draft.agent);

  // Once per submission: focus must not move while the person corrects the form.
  const shouldFocusError = useRef(false);
  useEffect(() => {
    if (!shouldFocusError.current || Object.keys(errors).length === 0) return;
    shouldFocusError.current = false;
    form.current?.querySelector<HTMLElement>(FIRST_INVALID_SELECTOR)?.focus();
  }, [errors]);

  const selectAgent = (name: string) => {
    updateDraft({ agent: name });
    // A selected agent takes precedence over the one in the URL.
    if (requested !== null) navigate('/new', { replace: true });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    shouldFocusError.current = true;
    await start(agent);
  };

  return (
    <form ref={form} className={css.form} onSubmit={submit} noValidate aria-busy={isSending}>
      <AgentCards
        agents={agents}
        selected={agent}
        error={errors.agent ?? unknownAgentError(names, requested)}
        onSelect={selectAgent}
      />
      <MessageField
        value={draft.message}
        examples={findExampleMessages(agent, names)}
        error={errors.message}
        onChange={(message) => updateDraft({ message })}
        onSend={() => form.current?.requestSubmit()}
      />
      <TimeoutField
        value={draft.timeout}
        agentDefaults={agents.find(({ name }) => name === agent)?.questions}
        onChange={(timeout) => updateDraft({ timeout })}
      />
      {errors.form && (
        <p className={css.formError} role="alert">
          {errors.form}
        </p>
      )}
      <div className={css.buttons}>
        <Button type="submit" variant="primary" isBusy={isSending}>
          {isSending ? 'Starting…' : 'Start'}
          {!isSending && <ArrowRight size={18} aria-hidden="true" />}
        </Button>
        <p className={css.shortcutHint}>
          <kbd>{IS_MAC ? '⌘' : 'Ctrl'}</kbd>+<kbd>Enter</kbd> to start
        </p>
      </div>
    </form>
  );
}

function unknownAgentError(names: string[], requested: string | null): string | undefined {
  if (requested === null || names.includes(requested)) return undefined;
  return `No agent named “${requested}”. Choose another.`;
}

/** State of the form. Starts one conversation, however often the button is pressed. */
function useStartConversation() {
  const [draft, setDraft, discardDraft] = useDraft<StartDraft>('start', EMPTY_START_DRAFT);
  const [errors, setErrors] = useState<StartFormErrors>({});
  const { isBusy: isSending, run } = useSingleFlight();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();

  const updateDraft = (changes: Partial<StartDraft>) => {
    setDraft({ ...draft, ...changes });
    setErrors({});
  };

  const send = async (agent: string) => {
    setErrors({});
    const body = toStartInput(agent, draft);
    const attempt = reuseOrCreateAttempt(draft.attempt, body);
    setDraft({ ...draft, attempt });
    try {
      const { id } = await apiClient.start(body, { idempotencyKey: attempt.key });
      discardDraft();
      void queryClient.invalidateQueries({ queryKey: ['conversations'] });
      navigate(`/conversations/${encodeURIComponent(id)}`);
    } catch (error) {
      setErrors(toStartFormErrors(error));
    }
  };
  const start = async (agent: string) => {
    if (draft.message.trim() === '') setErrors(MESSAGE_REQUIRED);
    else await run(() => send(agent));
  };

  return { draft, updateDraft, errors, isSending, start };
}

interface MessageFieldProps {
  value: string;
  examples: string[];
  error: string | undefined;
  onChange: (text: string) => void;
  onSend: () => void;
}

function MessageField({ value, examples, error, onChange, onSend }: MessageFieldProps) {
  const id = useId();
  const textareaRef = useRef<HTMLTextAreaElement>(null);
  useEffect(() => focusSoon(textareaRef.current), []);
  const onKeyDown = (event: KeyboardEvent) => {
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
        ref={textareaRef}
        id={id}
        className={joinClassNames(input.input, input.area, css.message)}
        placeholder="What should the agent do? Add any context it needs."
        value={value}
        dir="auto"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        aria-required="true"
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={onKeyDown}
      />
      {error && (
        <p id={`${id}-error`} className={css.error} role="alert">
          {error}
        </p>
      )}
      {value === '' && examples.length > 0 && (
        <Examples
          examples={examples}
          onSelect={(example) => {
            onChange(example);
            textareaRef.current?.focus();
          }}
        />
      )}
    </div>
  );
}

/**
 * Focuses after the current key event; otherwise the shortcut key would be typed into the field. Not on a phone, where
 * a keyboard would cover the page.
 */
function focusSoon(textarea: HTMLElement | null): (() => void) | undefined {
  if (!window.matchMedia('(hover: hover)').matches) return undefined;
  const timer = setTimeout(() => textarea?.focus({ preventScroll: true }));
  return () => clearTimeout(timer);
}

function Examples({ examples, onSelect }: { examples: string[]; onSelect: (example: string) => void }) {
  return (
    <div className={css.examples}>
      <span>Try</span>
      {examples.map((example) => (
        <button key={example} type="button" className={css.example} onClick={() => onSelect(example)}>
          {example}
        </button>
      ))}
    </div>
  );
}

const TIMEOUT_LABELS = new Map([
  ['15m', '15 minutes'],
  ['4h', '4 hours'],
  ['1d', '1 day'],
  ['3d', '3 days'],
  ['never', 'No deadline'],
]);

const TIMEOUT_EFFECT: Record<OnTimeout, string> = {
  continue: 'If nobody answers, the agent continues without an answer.',
  default: 'If nobody answers, the default is used (if there is one).',
  fail: 'If nobody answers, the conversation fails.',
  wait: 'The question stays open after the deadline.',
};

interface TimeoutFieldProps {
  value: string;
  /** The agent's own question settings. */
  agentDefaults: AgentView['questions'] | undefined;
  onChange: (timeout: string) => void;
}

/** Collapsed by default, because the agent's own timeout is usually right. */
function TimeoutField({ value, agentDefaults, onChange }: TimeoutFieldProps) {
  const id = useId();
  const [isInitiallyOpen] = useState(value !== '');
  const agentTimeout = TIMEOUT_LABELS.get(agentDefaults?.timeout ?? '') ?? agentDefaults?.timeout;
  return (
    <details className={css.options} open={isInitiallyOpen}>
      <summary>More options</summary>
      <div className={css.option}>
        <label className={css.label} htmlFor={id}>
          Answer deadline
        </label>
        <select
          id={id}
          className={joinClassNames(input.input, input.narrow)}
          value={value}
          aria-describedby={`${id}-then`}
          onChange={({ target }) => onChange(target.value)}
        >
          <option value="">Agent default{agentTimeout && ` (${agentTimeout})`}</option>
          {[...TIMEOUT_LABELS].map(([timeout, label]) => (
            <option key={timeout} value={timeout}>
              {label}
            </option>
          ))}
        </select>
        <p id={`${id}-then`} className={css.hint}>
          {TIMEOUT_EFFECT[agentDefaults?.onTimeout ?? 'continue']}
        </p>
      </div>
    </details>
  );
}
