import { askUserQuestionTool } from './built-in/ask-user-question';
import { confirmActionTool } from './built-in/confirm-action';
import { delegateTool } from './built-in/delegate';
import { readResultTool } from './built-in/read-result';
import { writeTodosTool } from './built-in/write-todos';
import { httpRequestTool } from './http-request/http-request';
import type { Tool } from './tool';

/** The only place to register a tool. */
export const builtInTools: Tool[] = [
  askUserQuestionTool,
  confirmActionTool,
  writeTodosTool,
  delegateTool,
  httpRequestTool,
];

/** Adds the tools that need a storage, if there is one. */
export function addStorageTools(tools: Tool[], hasStorage: boolean): Tool[] {
  return hasStorage ? [...tools, readResultTool] : tools;
}
