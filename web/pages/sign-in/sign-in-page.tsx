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

/** Replaces every page until the user signs in. The URL stays, so that signing in leads to the requested page. */
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
            Session expired. Sign in again; your drafts are saved.
          </p>
        )}
        <KeyForm />
        <p className={css.hint}>
          No key? Ask your administrator (<code>parley admin key</code>).
        </p>
      </div>
    </main>
  );
}

function KeyForm() {
  const [key, setKey] = useState('');
  const [isShown, setShown] = useState(false);
  const { signInWithKey, clearError, error, isSending } = useSignIn();
  const inputRef = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => inputRef.current?.focus(), []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await signInWithKey(key.trim());
    inputRef.current?.focus();
  };
  return (
    <form className={css.form} onSubmit={submit} noValidate aria-busy={isSending}>
      <div>
        <label className={css.label} htmlFor={id}>
          API key
        </label>
        <div className={css.field}>
          <input
            ref={inputRef}
            id={id}
            type={isShown ? 'text' : 'password'}
            className={joinClassNames(input.input, css.key)}
            value={key}
            autoComplete="current-password"
            autoCapitalize="none"
            spellCheck={false}
            aria-invalid={error ? true : undefined}
            aria-describedby={error ? `${id}-error` : undefined}
            onChange={({ target }) => {
              setKey(target.value);
              clearError();
            }}
          />
          <ShowKeyButton isShown={isShown} onToggle={() => setShown(!isShown)} />
        </div>
        {error && (
          <p id={`${id}-error`} className={css.error} role="alert">
            {error}
          </p>
        )}
      </div>
      <Button type="submit" variant="primary" isBusy={isSending}>
        {isSending ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}

function ShowKeyButton({ isShown, onToggle }: { isShown: boolean; onToggle: () => void }) {
  const Icon = isShown ? EyeOff : Eye;
  return (
    <button
      type="button"
      className={css.showButton}
      onClick={onToggle}
      aria-label="Show key"
      aria-pressed={isShown}
      title={isShown ? 'Hide key' : 'Show key'}
    >
      <Icon size={18} aria-hidden="true" />
    </button>
  );
}

/** Signs in once, however often Enter is pressed. */
function useSignIn() {
  const [error, setError] = useState<string>();
  const { isBusy: isSending, run } = useSingleFlight();

  const signInWithKey = (key: string) =>
    run(async () => {
      const formatError = checkApiKeyFormat(key);
      setError(formatError);
      if (!formatError) setError((await signIn(key)) ?? explainMissingSession());
    });

  return { signInWithKey, clearError: () => setError(undefined), error, isSending };
}

/** Error text for a key that was accepted although the session could not be loaded. */
function explainMissingSession(): string | undefined {
  if (useSession.getState().phase !== 'signedOut') return undefined;
  return "The key is valid, but the session couldn't be loaded. Try again in a moment.";
}
