import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '#channels/read-config';
import { CHANNELS } from '#channels/registry';

const CHANNEL_VARIABLES = CHANNELS.flatMap(({ environment }) => Object.keys(environment?.shape ?? {}));
const PROJECT = path.join(__dirname, '../../..');

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  network_mode?: string;
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
}

/** The output of `parley admin key`. */
const API_KEY_ENTRY = `me=admin=${'0'.repeat(64)}`;

const compose = parse(readProjectFile('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);

function readProjectFile(file: string): string {
  return readFileSync(path.join(PROJECT, file), 'utf8');
}

function service(name: string): Service {
  const definition = compose.services[name];
  if (!definition) throw new Error(`docker-compose.yml has no service ${name}`);
  return definition;
}

/** The environment of the container if only required variables are set. */
function environmentOf(name: string): Record<string, string> {
  const variables = Object.entries(service(name).environment ?? {});
  return Object.fromEntries(
    variables.map(([key, value]) => [
      key,
      String(value)
        .replace(/\$\{\w+:\?.*\}/, API_KEY_ENTRY)
        .replace(/\$\{\w+(?::-(.*?))?\}/g, '$1'),
    ]),
  );
}

/** Everything a service depends on, directly or not. */
function dependenciesOf(name: string): string[] {
  const direct = Object.keys(service(name).depends_on ?? {});
  return [...new Set([...direct, ...direct.flatMap(dependenciesOf)])];
}

const PARLEY_SERVICES = ['api-1', 'api-2', 'worker-1', 'worker-2'];

describe('docker-compose.yml', () => {
  it('has a database, a Temporal server with its UI, two APIs, two workers and monitoring', () => {
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['postgres', 'temporal', 'temporal-ui', ...PARLEY_SERVICES, 'proxy', 'prometheus']),
    );
    expect(service('api-2')).toEqual(service('api-1'));
    expect(service('worker-2')).toEqual(service('worker-1'));
    expect(environmentOf('temporal')).toMatchObject({ DB: 'postgres12', POSTGRES_SEEDS: 'postgres' });
  });

  it('pins every image to a version', () => {
    const images = services.filter(([, { build }]) => !build).map(([, { image }]) => image);
    expect(images.length).toBeGreaterThan(3);
    for (const image of images) expect(image).toMatch(/^[\w/-]+:v?\d+(\.\d+)+$/);
  });

  it('has one version of Temporal for the server and its set-up tools', () => {
    const versions = services.flatMap(([, { image = '' }]) =>
      /^temporalio\/(server|admin-tools):/.test(image) ? [image.split(':')[1]] : [],
    );
    expect(versions.length).toBeGreaterThan(1);
    expect(new Set(versions).size).toBe(1);
  });

  it('takes privileges from every container, also of other projects', () => {
    for (const [name, { cap_drop, security_opt }] of services)
      expect([name, cap_drop, security_opt]).toEqual([name, ['ALL'], ['no-new-privileges:true']]);
  });

  it('publishes ports on loopback only', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    expect(ports).toContain('127.0.0.1:7233:7233');
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it('waits only for conditions that can be met: a health check, or the end of a one-off job', () => {
    const dependencies = services.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on));
    expect(dependencies.length).toBeGreaterThan(4);
    for (const [name, { condition }] of dependencies) {
      const { healthcheck, restart, image } = service(name);
      const imageHealthcheck =
        image === 'parley:local' ? readProjectFile('Dockerfile').match(/^HEALTHCHECK/m) : undefined;
      if (condition === 'service_healthy') expect(healthcheck?.test ?? imageHealthcheck).toBeTruthy();
      else expect([condition, restart]).toEqual(['service_completed_successfully', undefined]);
    }
  });

  it.each(['api-1', 'worker-1'])('starts the %s after the schema, the server and the namespace', (name) => {
    expect(dependenciesOf(name)).toEqual(
      expect.arrayContaining(['postgres', 'temporal-schema', 'temporal', 'temporal-namespace']),
    );
  });

  it.each(['api-1', 'worker-1'])('sets only variables that Parley reads in the %s', (name) => {
    const sourceFiles = ['src/infra/config.ts', 'src/infra/log.ts', 'src/infra/storage/s3-store.ts'];
    const named = new Set(
      sourceFiles
        .map(readProjectFile)
        .join(' ')
        .match(/\b[A-Z][A-Z0-9_]+\b/g),
    );
    const known = [...named, ...CHANNEL_VARIABLES];
    for (const variable of Object.keys(environmentOf(name))) expect(known).toContain(variable);
  });

  it.each(['api-1', 'worker-1'])('gives the %s an environment that Parley accepts', (name) => {
    const config = readConfig(environmentOf(name));
    expect(config.temporal.address).toMatch(/:7233$/);
    expect(config.model).toBeUndefined();
  });

  it('requires a key for the API, and gives it the URL of its links', () => {
    const { host, port, apiKeys, publicUrl } = readConfig(environmentOf('api-1'));
    expect([host, port, apiKeys?.length]).toEqual(['0.0.0.0', 3000, 1]);
    expect(service('api-1').environment?.PARLEY_API_KEYS).toMatch(/^\$\{PARLEY_API_KEYS:\?.*parley admin key/);
    expect(service('proxy').ports).toEqual([`${new URL(publicUrl ?? '').host}:3000`]);
  });

  it('reaches the APIs only through the proxy, which uses those that are ready and is the only trusted one', () => {
    for (const name of PARLEY_SERVICES) expect(service(name).ports).toBeUndefined();
    const proxy = readProjectFile('deploy/compose/Caddyfile');
    expect(proxy).toMatch(/reverse_proxy api-1:3000 api-2:3000/);
    expect(proxy).toMatch(/health_uri \/readyz/);
    expect(proxy).toMatch(/flush_interval -1/);
    const { trustedProxies, redisUrl } = readConfig(environmentOf('api-1'));
    // Otherwise each API would allow the full limit on its own.
    expect([trustedProxies, redisUrl]).toEqual([1, 'redis://redis:6379']);
  });

  it.each(PARLEY_SERVICES)('runs the %s with minimal privileges, and with time to finish', (name) => {
    const { read_only, cap_drop, security_opt, stop_grace_period = '' } = service(name);
    expect([read_only, cap_drop, security_opt]).toEqual([true, ['ALL'], ['no-new-privileges:true']]);
    const { drainMs = 0 } = readConfig(environmentOf(name));
    expect(drainMs).toBeGreaterThan(5_000);
    expect(drainMs).toBeLessThan(1_000 * Number.parseInt(stop_grace_period, 10));
  });

  it('checks the health of a worker on its port', () => {
    const { environment, healthcheck } = service('worker-1');
    expect(healthcheck?.test?.at(-1)).toMatch(`:${environment?.PARLEY_WORKER_PORT}/healthz`);
  });

  it('keeps the key of Prometheus out of the clone', () => {
    expect(service('prometheus').volumes).toContain('./deploy/prometheus:/etc/prometheus:ro');
    expect(readProjectFile('.gitignore')).toMatch(/^deploy\/prometheus\/parley-token$/m);
  });

  it('gives API and worker one secret, and the same channels', () => {
    const [api, worker] = ['api-1', 'worker-1'].map((name) => service(name));
    for (const name of ['PARLEY_PEOPLE', ...CHANNEL_VARIABLES])
      expect([name, api?.environment?.[name]]).toEqual([name, worker?.environment?.[name]]);
    expect(api?.environment).toHaveProperty('PARLEY_SECRET', worker?.environment?.PARLEY_SECRET);
    for (const definition of [api, worker]) expect(definition?.volumes).toContain('parley:/data');
  });

  it('gives API and worker one storage, which both can reach', () => {
    const variables = ['PARLEY_STORAGE', 'PARLEY_EXPORTS', 'PARLEY_S3_ENDPOINT', 'AWS_REGION', 'AWS_ACCESS_KEY_ID'];
    for (const name of [...variables, 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'])
      expect([name, service('api-1').environment?.[name]]).toEqual([name, service('worker-1').environment?.[name]]);
    expect(service('api-1').environment).toHaveProperty('AWS_SESSION_TOKEN');
    expect(readConfig(environmentOf('worker-1')).storage).toEqual({ kind: 'folder', path: '/data/storage' });
  });

  it('gives both the same encryption keys, and the UI a codec endpoint', () => {
    const [api, worker, ui] = ['api-1', 'worker-1', 'temporal-ui'].map((name) => service(name).environment);
    expect(api?.PARLEY_ENCRYPTION_KEYS).toMatch(/^\$\{PARLEY_ENCRYPTION_KEYS:-\}$/);
    expect(worker?.PARLEY_ENCRYPTION_KEYS).toBe(api?.PARLEY_ENCRYPTION_KEYS);
    expect(ui?.TEMPORAL_CODEC_ENDPOINT).toBe(`${api?.PARLEY_PUBLIC_URL}/codec`);
    // The UI's origin must be the one that the API allows.
    const { origin } = new URL(environmentOf('api-1').TEMPORAL_UI_URL ?? '');
    expect(service('temporal-ui').ports).toEqual([`${origin.replace('http://', '')}:8080`]);
  });

  it('creates the namespace with PARLEY_RETENTION, and gives the worker its build and deployment', () => {
    const namespaceService = service('temporal-namespace');
    expect(namespaceService.command?.join('')).toMatch(
      /namespace create --namespace default --retention "\$\$PARLEY_RETENTION"/,
    );
    // Parley has the same default.
    const { PARLEY_RETENTION } = environmentOf('temporal-namespace');
    const { retentionMs } = readConfig({}).temporal;
    expect(readConfig({ PARLEY_RETENTION }).temporal.retentionMs).toBe(retentionMs);
    expect(readConfig({ ...environmentOf('worker-1'), PARLEY_BUILD_ID: '7' }).build).toEqual({
      deploymentName: 'parley',
      buildId: '7',
    });
    for (const name of ['PARLEY_BUILD_ID', 'PARLEY_DEPLOYMENT', 'PARLEY_RETENTION'])
      expect(service('worker-1').environment?.[name]).toMatch(new RegExp(`^\\$\\{${name}:-`));
  });

  it('declares every volume that it uses', () => {
    const usedVolumes = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''));
    const namedVolumes = new Set(usedVolumes.filter((name) => !name.startsWith('.')));
    expect([...namedVolumes].sort()).toEqual(Object.keys(compose.volumes).sort());
  });

  it('runs programs that the build creates', () => {
    const commands = [
      ...(service('worker-1').command ?? []),
      ...(readProjectFile('Dockerfile').match(/dist\/[\w/-]+\.js/g) ?? []),
    ];
    const programs = commands.filter((argument) => argument.startsWith('dist/'));
    expect(programs).toEqual(expect.arrayContaining(['dist/worker.js', 'dist/src/api/main.js']));
    for (const program of programs) {
      const source = program.replace('dist/', '').replace(/\.js$/, '.ts');
      expect(() => readProjectFile(source)).not.toThrow();
    }
  });
});
