import './reference.css';
import { init } from 'redoc/bundles/redoc.standalone.js';

/** Resolves a color variable to its value, because Redoc calculates with colors. */
function readColor(token: string): string {
  document.body.style.color = `var(${token})`;
  const { color } = getComputedStyle(document.body);
  document.body.style.color = '';
  return color;
}

function readToken(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token);
}

const fontFamily = readToken('--sans');
const [ink, line, sunken] = [readColor('--ink'), readColor('--line-strong'), readColor('--sunken')];

const theme = {
  colors: {
    primary: { main: readColor('--accent') },
    success: { main: readColor('--good') },
    warning: { main: readColor('--warn') },
    error: { main: readColor('--danger') },
    text: { primary: ink, secondary: readColor('--ink-soft') },
    border: { dark: line, light: readColor('--line') },
    gray: { 50: sunken, 100: sunken },
  },
  schema: { nestedBackground: sunken, linesColor: line },
  typography: {
    fontFamily,
    fontSize: '15px',
    headings: { fontFamily, fontWeight: '650' },
    code: { fontFamily: readToken('--mono'), color: readColor('--accent'), backgroundColor: sunken },
  },
  sidebar: { backgroundColor: readColor('--surface'), textColor: ink },
  // Dark in both themes, because the samples' own colors are made for a dark background.
  rightPanel: { backgroundColor: '#1a1d1c' },
};

init(
  '/openapi.json',
  // Search is disabled, because its worker is created from a blob, which the page's content security policy forbids.
  { theme, scrollYOffset: 'header', schemaDefinitionsTagName: 'Schemas', disableSearch: true, nativeScrollbars: true },
  document.getElementById('reference'),
  makeCodeScrollable,
);

/** Makes long lines of code scrollable with the keyboard. */
function makeCodeScrollable(): void {
  for (const code of document.querySelectorAll('pre')) code.tabIndex = 0;
}

// Colors are read once, so the page reloads when the system switches between light and dark.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => location.reload());
