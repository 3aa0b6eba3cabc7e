import { useRef, useState } from 'react';
import { useSession } from './session';
import { faultIn } from './sign-in-key';
import { signIn } from './signing';

/** Signs in once, however often Enter is pressed. */
export function useSignIn() {
  const [fault, setFault] = useState<string>();
  const [isSending, setSending] = useState(false);
  const sending = useRef(false);

  const send = async (key: string) => {
    if (sending.current) return;
    const wrong = faultIn(key);
    if (wrong) return setFault(wrong);
    sending.current = true;
    setSending(true);
    setFault(undefined);
    try {
      setFault((await signIn(key)) ?? stillOut());
    } finally {
      sending.current = false;
      setSending(false);
    }
  };

  return { send, clear: () => setFault(undefined), fault, isSending };
}

/** The key was taken, and then Parley did not say whose it is. */
function stillOut(): string | undefined {
  if (useSession.getState().phase !== 'out') return undefined;
  return 'The key is right, but Parley did not answer after that. Try again in a moment.';
}
