/** `npm run lint:openapi`: lints the OpenAPI document with Redocly. Exits with 1 if there are any findings. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { PROJECT } from './setup/paths.mjs';

const documentFile = path.join(PROJECT, 'dist', 'src', 'contract', 'openapi', 'document.js');
const { buildOpenApiDocument } = await import(pathToFileURL(documentFile).href);
const source = JSON.stringify(buildOpenApiDocument('https://parley.test'), null, 2);

const config = await createConfig({ extends: ['recommended'] });
const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
for (const { severity, ruleId, message, location } of problems)
  console.error(`${severity} ${ruleId} at ${location[0]?.pointer ?? '#/'}: ${message}`);
console.log(`${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
