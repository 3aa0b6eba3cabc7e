export function StartPage() {
  return <h1>New conversation</h1>;
}
