import { type AnswerLinkClaims, buildAnswerLinkUrl, createAnswerLinkToken } from '#channels/answer-link-token';
import type { Question } from '#contract/question';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';

export const SECRET = 'a secret for the tests of links';

/** A page as it came. */
export interface Page {
  status: number;
  text: string;
  headers: Headers;
}

export type Fields = Record<string, string | string[]>;

/** A Parley whose questions are answered by links. */
export interface Guests extends TestParley {
  /** A conversation that asks what the message says, with its open question. */
  asked(message: string, more?: object): Promise<Question>;
  /** The same once nobody has answered in time. */
  timedOut(message: string): Promise<Question>;
  link(question: Question, person: string, more?: Partial<AnswerLinkClaims>): string;
}

export async function guests({ env, ...settings }: TestParleySettings = {}): Promise<Guests> {
  const p = await startParley({
    ...settings,
    env: { PARLEY_SECRET: SECRET, PARLEY_RATE_LIMIT: '10000', ...env },
  });
  return {
    ...p,
    async asked(message, more) {
      return p.question(await p.start(message, more));
    },
    async timedOut(message) {
      const id = await p.start(message);
      await p.until(id, 'completed');
      return (await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body;
    },
    link: (question, person, more) => linkTo(p.url, question, person, more),
  };
}

export function linkTo(base: string, question: Question, person: string, more: Partial<AnswerLinkClaims> = {}): string {
  const { conversationId: conversation, id, expiresAt } = question;
  const until = expiresAt === null ? null : Date.parse(expiresAt);
  const link = { conversation, question: id, person, until, granted: null, ...more };
  return buildAnswerLinkUrl(base, createAnswerLinkToken(SECRET, link));
}

export async function open(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends a form as a browser does. */
export function send(url: string, fields: Fields, headers: Record<string, string> = {}): Promise<Page> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one.replace(/\r?\n/g, '\r\n'));
  return open(url, { method: 'POST', body, headers });
}

/** What somebody reads on it: no tags, entities resolved, on one line. */
export function wordsOf({ text }: Page): string {
  const [, body = text] = /<main>([\s\S]*)<\/main>/.exec(text) ?? [];
  return unescaped(body.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

export function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The controls of that name, as tags. */
export function controls({ text }: Page, name: string): string[] {
  const tags = text.match(/<(input|textarea|select|option)\b[^>]*>/g) ?? [];
  return tags.filter((tag) => tag.includes(`name="${name}"`));
}

/** The values of the radios and checkboxes of that name that are chosen. */
export function chosen(page: Page, name: string): string[] {
  return controls(page, name)
    .filter((tag) => / checked/.test(tag))
    .map((tag) => unescaped(/ value="([^"]*)"/.exec(tag)?.[1] ?? ''));
}
