import type { Operation } from '#contract/operations/operation';
import { OPERATIONS } from '#contract/operations/table';
import { type Html, html, joinHtml } from '#infra/html';

/** As much of JSON Schema as the contract uses. */
export interface DocsSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, DocsSchema>;
  required?: string[];
  additionalProperties?: boolean | DocsSchema;
  items?: DocsSchema;
  anyOf?: DocsSchema[];
  oneOf?: DocsSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  contentSchema?: DocsSchema;
}

interface MediaType {
  schema: DocsSchema;
  example?: unknown;
}

export interface DocsParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: DocsSchema;
}

export interface DocsReply {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, MediaType>;
}

export interface DocsOperation {
  method: string;
  path: string;
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: object[];
  parameters: DocsParameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, DocsReply>;
}

interface SecurityScheme {
  /** `bearer`, where it is a key. */
  scheme?: string;
  in?: string;
  name?: string;
  description: string;
}

/** What the page reads of an OpenAPI document. */
export interface DocsDocument {
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Omit<DocsOperation, 'method' | 'path'>>>;
  components: {
    schemas: Record<string, DocsSchema>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

/** Every call, as the document orders them. */
export function operationsOf({ paths }: DocsDocument): DocsOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
}

export function operationsTagged(document: DocsDocument, tag: string): DocsOperation[] {
  return operationsOf(document).filter(({ tags }) => tags.includes(tag));
}

export function operationUrl({ servers }: DocsDocument): string {
  return servers[0]?.url ?? '';
}

/** The one kind of content a body or a reply has, if any. */
export function replyContent(
  content: Record<string, MediaType> | undefined,
): ({ type: string } & MediaType) | undefined {
  const [first] = Object.entries(content ?? {});
  return first && { type: first[0], ...first[1] };
}

const OPERATIONS_BY_ID: Record<string, Operation | undefined> = OPERATIONS;

/** Who may make a call; nothing where the contract does not know it. */
export function scopesOf({ operationId }: DocsOperation): Operation['requiredScopes'] | undefined {
  return OPERATIONS_BY_ID[operationId]?.requiredScopes;
}

/** What it takes to make a call, in a line. */
export function renderAccess(operation: DocsOperation): Html {
  const allowed = scopesOf(operation);
  const isSigned = OPERATIONS_BY_ID[operation.operationId]?.acceptsSignature;
  return html`<p class="access"><span class="label">Access</span> ${describeScopes(allowed)}${isSigned && ', or a signature where the agent sets a secret'}</p>`;
}

function describeScopes(allowed: Operation['requiredScopes'] | undefined): Html {
  if (allowed === undefined) return html`As the <a href="#authentication">key</a> allows`;
  if (allowed === 'anybody') return html`No key needed`;
  if (allowed.length === 0) return html`Any <a href="#authentication">key</a>`;
  const scopes = allowed.map((scope) => html`<a href="#scopes"><code>${scope}</code></a>`);
  return html`${joinHtml(' or ', scopes)}`;
}
