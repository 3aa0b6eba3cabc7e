import './reference.css';
import { init } from 'redoc/bundles/redoc.standalone.js';

/** Redoc calculates with colours, so it needs values where the app's stylesheets have variables. */
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
  // Dark in both themes: the samples' own colours are made for that.
  rightPanel: { backgroundColor: '#1a1d1c' },
};

init(
  '/openapi.json',
  // Search runs in a worker made from a blob, which the page's policy does not allow.
  { theme, scrollYOffset: 'header', schemaDefinitionsTagName: 'Schemas', disableSearch: true, nativeScrollbars: true },
  document.getElementById('reference'),
  makeCodeScrollable,
);

/** Long lines of code can be scrolled with the keyboard. */
function makeCodeScrollable(): void {
  for (const code of document.querySelectorAll('pre')) code.tabIndex = 0;
}

// Colours are read once, so the page is loaded again when the system changes between light and dark.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => location.reload());
