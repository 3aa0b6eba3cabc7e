import { WEBHOOK_PREFACE, WEBHOOK_TAG, wrapUntrusted } from '#core/untrusted-text';

/** A template filled from a webhook body, once for people and once for the model. */
export interface RenderedTrigger {
  displayText: string;
  modelText: string;
}

/**
 * Renders a template: `{{ path.to.value }}` is a value of the body, `{{ . }}` is all of it. Values other than text are
 * written as JSON. In the text for the model, each value is wrapped in a tag that it cannot close, since it is
 * untrusted.
 */
export function renderTriggerTemplate(template: string, body: unknown): RenderedTrigger {
  const displayText = replacePlaceholders(template, (path) => formatValue(valueAt(body, path)));
  const modelText = replacePlaceholders(template, (path) =>
    wrapUntrusted(WEBHOOK_TAG, formatValue(valueAt(body, path))),
  );
  return { displayText, modelText: modelText === template ? displayText : `${WEBHOOK_PREFACE}\n\n${modelText}` };
}

function replacePlaceholders(template: string, valueFor: (path: string) => string): string {
  return template.replace(/\{\{\s*([^{}\s]+)\s*\}\}/g, (_placeholder, path: string) => valueFor(path));
}

function valueAt(body: unknown, path: string): unknown {
  if (path === '.') return body;
  return path.split('.').reduce<unknown>((value, name) => {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return isThere ? (value as Record<string, unknown>)[name] : undefined;
  }, body);
}

/** Formats blank values as `(not given)` too: a message must not be empty. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return '(not given)';
  const text = typeof value === 'string' ? value : formatJson(value);
  return /\S/.test(text) ? text : '(not given)';
}

const READABLE_LENGTH = 20_000;

/** Indents JSON for reading, unless it is long: indenting deeply nested JSON makes it many times longer. */
function formatJson(value: unknown): string {
  const compact = JSON.stringify(value);
  return compact.length > READABLE_LENGTH ? compact : JSON.stringify(value, null, 2);
}
