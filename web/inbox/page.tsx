export function InboxPage({ selected }: { selected?: string }) {
  return <h1>Inbox {selected}</h1>;
}
