/** The first `{{` that would be left standing, since it is no path; undefined where there is none. */
export function badPlace(template: string): string | undefined {
  // The same form as where it is filled in; what is between two places must not become one.
  const rest = template.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (whole, path: string) =>
    path === '.' || path.split('.').every((name) => name !== '') ? '\n' : whole,
  );
  return /\{\{.{0,40}?(\}\}|$)|\{\{.{0,20}/m.exec(rest)?.[0];
}
