export function SignIn({ isExpired }: { isExpired: boolean }) {
  return <p>{String(isExpired)}</p>;
}
