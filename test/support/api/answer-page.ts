import { type AnswerLinkClaims, buildAnswerLinkUrl, createAnswerLinkToken } from '#channels/answer-link-token';
import type { Question } from '#contract/question';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';

export const ANSWER_PAGE_SECRET = 'a secret for the tests of links which is as long as 32 random bytes in base64';

/** A received answer page. */
export interface AnswerPageResponse {
  status: number;
  text: string;
  headers: Headers;
}

export type AnswerPageFields = Record<string, string | string[]>;

/** A Parley whose questions are answered through links. */
export interface AnswerPageFixture extends TestParley {
  /** Starts a conversation that asks what the message says; resolves with its open question. */
  askQuestion(message: string, more?: object): Promise<Question>;
  /** The same, but resolves with the question after its deadline has passed. */
  askAndTimeOut(message: string): Promise<Question>;
  link(question: Question, person: string, more?: Partial<AnswerLinkClaims>): string;
}

export async function startAnswerPageFixture({
  env,
  ...settings
}: TestParleySettings = {}): Promise<AnswerPageFixture> {
  const p = await startParley({
    ...settings,
    env: { PARLEY_SECRET: ANSWER_PAGE_SECRET, ...env },
  });
  return {
    ...p,
    async askQuestion(message, more) {
      return p.waitForQuestion(await p.startConversation(message, more));
    },
    async askAndTimeOut(message) {
      const id = await p.startConversation(message);
      await p.waitForStatus(id, 'completed');
      return (await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`)).body;
    },
    link: (question, person, more) => createLinkTo(p.url, question, person, more),
  };
}

export function createLinkTo(
  base: string,
  question: Question,
  person: string,
  more: Partial<AnswerLinkClaims> = {},
): string {
  const { conversationId, id } = question;
  const expiresAt = question.expiresAt === null ? null : Date.parse(question.expiresAt);
  const link = { conversationId, questionId: id, person, expiresAt, grant: null, ...more };
  return buildAnswerLinkUrl(base, createAnswerLinkToken(ANSWER_PAGE_SECRET, link));
}

export async function openAnswerPage(url: string, init: RequestInit = {}): Promise<AnswerPageResponse> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Submits a form as a browser does. */
export function sendAnswerForm(
  url: string,
  fields: AnswerPageFields,
  headers: Record<string, string> = {},
): Promise<AnswerPageResponse> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat()) body.append(name, one.replace(/\r?\n/g, '\r\n'));
  return openAnswerPage(url, { method: 'POST', body, headers });
}

/** Returns the visible text, in one line: without tags, with entities resolved. */
export function visibleTextOf({ text }: AnswerPageResponse): string {
  const [, body = text] = /<main>([\s\S]*)<\/main>/.exec(text) ?? [];
  return unescapeHtml(body.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

export function unescapeHtml(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITIES[name] ?? '');
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Returns the tags of the controls with that name. */
export function listControls({ text }: AnswerPageResponse, name: string): string[] {
  const tags = text.match(/<(input|textarea|select|option)\b[^>]*>/g) ?? [];
  return tags.filter((tag) => tag.includes(`name="${name}"`));
}

/** Returns the values of the checked radios and checkboxes with that name. */
export function listChosenValues(page: AnswerPageResponse, name: string): string[] {
  return listControls(page, name)
    .filter((tag) => / checked/.test(tag))
    .map((tag) => unescapeHtml(/ value="([^"]*)"/.exec(tag)?.[1] ?? ''));
}
