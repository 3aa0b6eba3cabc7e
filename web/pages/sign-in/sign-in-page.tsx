import { Eye, EyeOff } from 'lucide-react';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { joinClassNames } from '../../lib/class-names';
import { useSingleFlight } from '../../lib/use-single-flight';
import { signIn } from '../../session/authentication';
import { useSession } from '../../session/session';
import { Button } from '../../ui/button';
import { Logo } from '../../ui/logo';
import input from '../../ui/styles/input.module.css';
import css from './sign-in-page.module.css';
import { checkApiKeyFormat } from './validate-key';

/** In the place of everything else. The address stays, so that one is then where one wanted to be. */
export function SignInPage({ isExpired }: { isExpired: boolean }) {
  useEffect(() => {
    document.title = 'Sign in · Parley';
  }, []);
  return (
    <main className={css.page}>
      <div className={css.card}>
        <header className={css.head}>
          <Logo />
          <h1 className={css.title}>Sign in to Parley</h1>
        </header>
        {isExpired && (
          <p className={css.expired} role="status">
            You were signed out: your session has ended. What you typed is kept.
          </p>
        )}
        <KeyForm />
        <p className={css.hint}>
          No key yet? Whoever runs this Parley makes one with <code>npm run key</code>.
        </p>
      </div>
    </main>
  );
}

function KeyForm() {
  const [key, setKey] = useState('');
  const [isShown, setShown] = useState(false);
  const { send, clear, fault, isSending } = useSignIn();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await send(key.trim());
    field.current?.focus();
  };
  return (
    <form className={css.form} onSubmit={submit} noValidate aria-busy={isSending}>
      <div>
        <label className={css.label} htmlFor={id}>
          API key
        </label>
        <div className={css.field}>
          <input
            ref={field}
            id={id}
            type={isShown ? 'text' : 'password'}
            className={joinClassNames(input.input, css.key)}
            value={key}
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck={false}
            aria-invalid={fault ? true : undefined}
            aria-describedby={fault ? `${id}-fault` : undefined}
            onChange={({ target }) => {
              setKey(target.value);
              clear();
            }}
          />
          <ShowKeyButton isShown={isShown} onToggle={() => setShown(!isShown)} />
        </div>
        {fault && (
          <p id={`${id}-fault`} className={css.fault} role="alert">
            {fault}
          </p>
        )}
      </div>
      <Button type="submit" look="primary" isBusy={isSending}>
        {isSending ? 'Signing in …' : 'Sign in'}
      </Button>
    </form>
  );
}

function ShowKeyButton({ isShown, onToggle }: { isShown: boolean; onToggle: () => void }) {
  const Icon = isShown ? EyeOff : Eye;
  return (
    <button
      type="button"
      className={css.show}
      onClick={onToggle}
      aria-label="Show the key"
      aria-pressed={isShown}
      title={isShown ? 'Hide the key' : 'Show the key'}
    >
      <Icon size={18} aria-hidden="true" />
    </button>
  );
}

/** Signs in once, however often Enter is pressed. */
function useSignIn() {
  const [fault, setFault] = useState<string>();
  const { isBusy: isSending, once } = useSingleFlight();

  const send = (key: string) =>
    once(async () => {
      const wrong = checkApiKeyFormat(key);
      setFault(wrong);
      if (!wrong) setFault((await signIn(key)) ?? explainMissingSession());
    });

  return { send, clear: () => setFault(undefined), fault, isSending };
}

/** The key was taken, and then Parley did not say whose it is. */
function explainMissingSession(): string | undefined {
  if (useSession.getState().phase !== 'out') return undefined;
  return 'The key is right, but Parley did not answer after that. Try again in a moment.';
}
