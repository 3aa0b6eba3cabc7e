import { useState } from 'react';
import { useOnce } from '../design/use-once';
import { useSession } from './session';
import { faultIn } from './sign-in-key';
import { signIn } from './signing';

/** Signs in once, however often Enter is pressed. */
export function useSignIn() {
  const [fault, setFault] = useState<string>();
  const { isBusy: isSending, once } = useOnce();

  const send = (key: string) =>
    once(async () => {
      const wrong = faultIn(key);
      setFault(wrong);
      if (!wrong) setFault((await signIn(key)) ?? stillOut());
    });

  return { send, clear: () => setFault(undefined), fault, isSending };
}

/** The key was taken, and then Parley did not say whose it is. */
function stillOut(): string | undefined {
  if (useSession.getState().phase !== 'out') return undefined;
  return 'The key is right, but Parley did not answer after that. Try again in a moment.';
}
