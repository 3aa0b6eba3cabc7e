import { askUserQuestionTool } from './built-in/ask-user-question';
import { confirmActionTool } from './built-in/confirm-action';
import { delegateTool } from './built-in/delegate';
import { readResultTool } from './built-in/read-result';
import { writeTodosTool } from './built-in/write-todos';
import { httpRequestTool } from './http-request/http-request';
import type { Tool } from './tool';

/** The one place where a tool is registered. */
export const builtInTools: Tool[] = [
  askUserQuestionTool,
  confirmActionTool,
  writeTodosTool,
  delegateTool,
  httpRequestTool,
];

/** With those that need a storage, where there is one. */
export function addStorageTools(tools: Tool[], hasStorage: boolean): Tool[] {
  return hasStorage ? [...tools, readResultTool] : tools;
}
