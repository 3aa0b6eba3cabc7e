import { askUserQuestion } from './ask-user-question';
import { confirmAction } from './confirm-action';
import { delegate } from './delegate';
import { httpRequest } from './http-request';
import type { Tool } from './tool';
import { writeTodos } from './write-todos';

/** The one place where a tool is registered. */
export const builtIn: Tool[] = [askUserQuestion, confirmAction, writeTodos, delegate, httpRequest];
