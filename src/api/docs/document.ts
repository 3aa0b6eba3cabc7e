/** As much of JSON Schema as the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
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
  contentSchema?: Schema;
}

interface Media {
  schema: Schema;
  example?: unknown;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Reply {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

export interface Call {
  method: string;
  path: string;
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: object[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, Reply>;
}

interface SecurityScheme {
  /** `bearer`, where it is a key. */
  scheme?: string;
  in?: string;
  name?: string;
  description: string;
}

/** What the page reads of an OpenAPI document. */
export interface Document {
  info: { title: string; version: string; summary: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Omit<Call, 'method' | 'path'>>>;
  components: {
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}

/** Every call, as the document orders them. */
export function callsOf({ paths }: Document): Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => ({ ...call, method, path })),
  );
}

export function callsTagged(document: Document, tag: string): Call[] {
  return callsOf(document).filter(({ tags }) => tags.includes(tag));
}

export function urlOf({ servers }: Document): string {
  return servers[0]?.url ?? '';
}

/** The one kind of content a body or a reply has, if any. */
export function contentOf(content: Record<string, Media> | undefined): ({ type: string } & Media) | undefined {
  const [first] = Object.entries(content ?? {});
  return first && { type: first[0], ...first[1] };
}
