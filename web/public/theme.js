// Runs before the first paint, so that a dark page never flashes light. Inline scripts are not allowed.
try {
  const theme = localStorage.getItem('parley.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is disabled; the system theme applies.
}
