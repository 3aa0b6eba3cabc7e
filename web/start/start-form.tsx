import { ArrowRight } from 'lucide-react';
import { type FormEvent, useEffect, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { AgentView } from '#contract/agent';
import { Button } from '../design/button';
import { AgentCards } from './agent-cards';
import { Deadline } from './deadline';
import { examplesFor } from './examples';
import { Message } from './message';
import css from './start-form.module.css';
import { agentFor } from './starting';
import { useStart } from './use-start';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);
const FIRST_FAULT = ':is([aria-invalid="true"], [data-invalid] :checked)';

/** Who shall do it, what is to be done, and the one button that starts it. */
export function StartForm({ agents }: { agents: AgentView[] }) {
  const form = useRef<HTMLFormElement>(null);
  const [, go] = useLocation();
  const asked = new URLSearchParams(useSearch()).get('agent');
  const { draft, change, faults, isSending, start } = useStart();
  const names = agents.map(({ name }) => name);
  const agent = agentFor(names, asked, draft.agent);

  // Once for each try: while one mends what was wrong, nothing must take the focus.
  const seeksFault = useRef(false);
  useEffect(() => {
    if (!seeksFault.current || Object.keys(faults).length === 0) return;
    seeksFault.current = false;
    form.current?.querySelector<HTMLElement>(FIRST_FAULT)?.focus();
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
        fault={faults.agent ?? missing(names, asked)}
        onPick={pick}
      />
      <Message
        value={draft.message}
        examples={examplesFor(agent, names)}
        fault={faults.message}
        onChange={(message) => change({ message })}
        onSend={() => form.current?.requestSubmit()}
      />
      <Deadline
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

function missing(names: string[], asked: string | null): string | undefined {
  if (asked === null || names.includes(asked)) return undefined;
  return `There is no agent called “${asked}” here. Choose one of these.`;
}
