/** Slack waits for three seconds, and the way there and back takes some of it. */
const SOON_MS = 2_500;

/** What it comes to, if it does so in time; `undefined` where it goes on by itself. */
export async function soon<T>(work: Promise<T>): Promise<{ value: T } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), SOON_MS);
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}
