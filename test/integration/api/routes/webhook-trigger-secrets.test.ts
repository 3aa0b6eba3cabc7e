import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadAgents } from '#agents/load-agents';
import { startApi } from '#api/main';
import { readTriggerSecrets } from '#api/routes/webhook-triggers';
import { readConfig } from '#channels/read-config';
import { ConfigError } from '#infra/config';
import { createLog } from '#infra/log';
import { builtInTools } from '#tools/registry';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-secrets-'));
const agents = path.join(folder, 'agents');

beforeAll(() => {
  mkdirSync(agents);
  for (const [name, triggerFields] of [
    ['intake', 'secret: PARLEY_HOOK_INTAKE'],
    ['orders', 'secret: PARLEY_HOOK_ORDERS'],
    ['open', ''],
  ])
    writeFileSync(
      path.join(agents, `${name}.md`),
      `---\nname: ${name}\ndescription: For a test.\ntrigger:\n  message: Hello\n  ${triggerFields}\n---\nHello.\n`,
    );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const generateSecret = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`;
const validSecret = generateSecret(24);

function readConfigError(PARLEY_HOOK_INTAKE: string | undefined): string {
  try {
    readTriggerSecrets(loadAgents(agents, builtInTools), { PARLEY_HOOK_INTAKE, PARLEY_HOOK_ORDERS: validSecret });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return '';
}

describe('the secret of a webhook', () => {
  it.each([
    ['one', validSecret, 1],
    ['a longer one, with padding', generateSecret(25), 1],
    ['one without padding', generateSecret(32).replace(/=+$/, ''), 1],
    ['two, during rotation', `${validSecret} ${generateSecret(32)}`, 2],
    ['two with a comma and a line break', `${validSecret},\n${generateSecret(32)}\n`, 2],
  ])('may be %s', (_what, configured, count) => {
    const secrets = readTriggerSecrets(loadAgents(agents, builtInTools), {
      PARLEY_HOOK_INTAKE: configured,
      PARLEY_HOOK_ORDERS: validSecret,
    });
    expect(secrets.get('intake')).toHaveLength(count);
    expect(secrets.has('open')).toBe(false);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['blank', ' , '],
    ['without whsec_', validSecret.replace('whsec_', '')],
    ['too short', generateSecret(23)],
    ['not base64', `whsec_${'!'.repeat(40)}`],
    ['base64 of an impossible length', `whsec_${'A'.repeat(33)}`],
    ['one valid and one invalid', `${validSecret} whsec_short`],
  ])('stops the start if it is %s, and the error names variable and agent', (_what, configured) => {
    const message = readConfigError(configured);
    expect(message).toMatch(/PARLEY_HOOK_INTAKE: required to verify webhooks of agent intake/);
    expect(message).not.toContain('PARLEY_HOOK_ORDERS');
    for (const part of (configured ?? '').match(/[\w+/]{12,}/g) ?? []) expect(message).not.toContain(part);
  });

  it('is reported missing for all agents at once, before anything listens', async () => {
    const portProbe = createServer().listen(0, '127.0.0.1');
    await once(portProbe, 'listening');
    const { port } = portProbe.address() as AddressInfo;
    portProbe.close();
    await once(portProbe, 'close');
    const config = readConfig({ PORT: String(port), PARLEY_AGENTS: agents, PARLEY_DATA: folder });
    await expect(startApi(config, createLog('silent'))).rejects.toThrow(
      /PARLEY_HOOK_INTAKE.*intake[\s\S]*PARLEY_HOOK_ORDERS.*orders/,
    );
    const [error] = await once(connect(port, '127.0.0.1'), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });
});
