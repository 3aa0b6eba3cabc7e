// Before the first paint, so that a page chosen to be dark never flashes light. No inline script is let in.
try {
  const theme = localStorage.getItem('parley.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be switched off: then the system decides.
}
