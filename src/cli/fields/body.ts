import { misuse } from '#cli/exit';
import type { Question } from '#contract/question';

export interface Body {
  answers?: unknown;
  answer?: unknown;
  comment?: string;
}

const SHAPES = '{"answers": {"q1": "Yes"}}, {"answer": "Yes"} or {"q1": "Yes"}';

/** What was piped in: a body as the API takes it, or the answers alone. */
export function bodyIn(text: string, { fields }: Pick<Question, 'fields'>): Body {
  const body = objectIn(text);
  const isField = (name: string) => fields.some(({ key, question }) => key === name || question === name);
  const isBare = !('answers' in body || 'answer' in body) || Object.keys(body).some(isField);
  if (isBare) return { answers: body };
  const { answers, answer, comment, ...more } = body;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined)
    throw misuse(`stdin has ${JSON.stringify(unknown)}, which is no part of an answer. Write ${SHAPES}.`);
  if (comment !== undefined && typeof comment !== 'string')
    throw misuse('The comment on stdin is no text. Put it into quotes.');
  return { answers, answer, comment };
}

function objectIn(text: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw misuse(`What came on stdin is no JSON. Write ${SHAPES}.`);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw misuse(`What came on stdin is no object. Write ${SHAPES}.`);
  return body as Record<string, unknown>;
}
