import { WEBHOOK_PREFACE, WEBHOOK_TAG, wrapUntrusted } from '#core/untrusted-text';

/** A template filled from a webhook body, once for people and once for the model. */
export interface RenderedTrigger {
  displayText: string;
  modelText: string;
}

/**
 * `{{ path.to.value }}` is that value of the body, `{{ . }}` the whole of it. What is not text is written as JSON. For the
 * model each value is marked, and cannot end its own mark.
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

/** A blank is nothing too: a message must say something. */
function formatValue(value: unknown): string {
  if (value === undefined || value === null) return '(not given)';
  const text = typeof value === 'string' ? value : formatJson(value);
  return /\S/.test(text) ? text : '(not given)';
}

const READABLE_LENGTH = 20_000;

/** Set out for reading, unless it is long: to indent what is deep makes it many times as long. */
function formatJson(value: unknown): string {
  const compact = JSON.stringify(value);
  return compact.length > READABLE_LENGTH ? compact : JSON.stringify(value, null, 2);
}
