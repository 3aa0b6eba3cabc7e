import type { Store } from './store';

export async function putText(store: Store, name: string, text: string): Promise<void> {
  await store.put(name, Buffer.from(text, 'utf8'));
}

export async function getText(store: Store, name: string): Promise<string | undefined> {
  const bytes = await store.get(name);
  return bytes && Buffer.from(bytes).toString('utf8');
}
