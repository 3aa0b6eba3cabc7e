import { askUserQuestion } from './ask-user-question';
import { confirmAction } from './confirm-action';
import { delegate } from './delegate';
import { httpRequest } from './http-request';
import { readResult } from './read-result';
import type { Tool } from './tool';
import { writeTodos } from './write-todos';

/** The one place where a tool is registered. */
export const builtIn: Tool[] = [askUserQuestion, confirmAction, writeTodos, delegate, httpRequest];

/** With those that need a storage, where there is one. */
export function withStorage(tools: Tool[], hasStorage: boolean): Tool[] {
  return hasStorage ? [...tools, readResult] : tools;
}
