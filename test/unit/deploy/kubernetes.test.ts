import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { WEB_PAGES } from '#api/pages/web-app';
import { readConfig } from '#channels/read-config';
import { CHANNELS } from '#channels/registry';
import { OPERATIONS } from '#contract/operations/table';

const FOLDER = path.join(__dirname, '../../../deploy/kubernetes');

interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  command: string[];
  env: { name: string; value: string }[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
  resources: { requests: object; limits: { memory: string } };
  securityContext: object;
  volumeMounts: { name: string }[];
}
interface Pod {
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds: number;
  securityContext: object;
  containers: [Container];
  volumes: { name: string; configMap?: { name: string } }[];
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own.
  spec?: any;
}

const manifests = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) => parseAllDocuments(readFileSync(path.join(FOLDER, file), 'utf8')))
  .map((document) => document.toJS() as Manifest);

function findManifest(kind: string, name: string): Manifest {
  const match = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (!match) throw new Error(`there is no ${kind} ${name}`);
  return match;
}

const PROGRAMS = ['parley-api', 'parley-worker'];
const pod = (name: string) => findManifest('Deployment', name).spec.template.spec as Pod;

function environmentOf(name: string): Record<string, string> {
  const { env, envFrom } = pod(name).containers[0];
  const sharedVariables = envFrom.map(({ configMapRef, secretRef }) =>
    configMapRef
      ? findManifest('ConfigMap', configMapRef.name).data
      : findManifest('Secret', secretRef?.name ?? '').stringData,
  );
  return Object.assign({}, ...sharedVariables, Object.fromEntries(env.map(({ name: key, value }) => [key, value])));
}

function partition(routes: string[]): [internal: string[], open: string[]] {
  const isInternal = (route: string) => /^\/(metrics|codec|healthz|readyz)/.test(route);
  return [routes.filter(isInternal), routes.filter((route) => !isInternal(route))];
}

describe('the Kubernetes manifests', () => {
  it('are in one namespace, which allows only restricted pods', () => {
    const namespaced = manifests.filter(({ kind }) => kind !== 'Namespace');
    expect(new Set(namespaced.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['parley']));
    const { labels } = findManifest('Namespace', 'parley').metadata;
    expect(labels).toHaveProperty(['pod-security.kubernetes.io/enforce'], 'restricted');
  });

  it.each(PROGRAMS)('give the %s minimal privileges', (name) => {
    const { securityContext, automountServiceAccountToken, containers } = pod(name);
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(automountServiceAccountToken).toBe(false);
    expect(containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('have example secrets that Parley refuses', () => {
    expect(() => readConfig(environmentOf('parley-api'))).toThrow(/PARLEY_SECRET: must be 32 random bytes/);
  });

  it.each(PROGRAMS)('give the %s an environment that Parley accepts, and time to finish', (name) => {
    const {
      drainMs = 0,
      secret,
      storage,
    } = readConfig({
      ...environmentOf(name),
      PARLEY_SECRET: 'f'.repeat(64),
    });
    const { terminationGracePeriodSeconds: seconds, containers } = pod(name);
    const [, preStopSeconds = '0'] = /(\d+)\)$/.exec(containers[0].lifecycle?.preStop.exec.command.at(-1) ?? '') ?? [];
    expect(drainMs).toBeGreaterThan(5_000);
    expect(drainMs + Number(preStopSeconds)).toBeLessThan(1_000 * seconds);
    // Pods share no disk.
    expect([secret?.length, storage?.kind]).toEqual([expect.any(Number), 'bucket']);
  });

  it.each(PROGRAMS)('check the health of the %s, and mount only what exists', (name) => {
    const { containers, volumes } = pod(name);
    const [{ ports, startupProbe, readinessProbe, livenessProbe, volumeMounts, command }] = containers;
    const probes = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet);
    expect(probes.map(({ path: route }) => route)).toEqual(['/healthz', '/readyz', '/healthz']);
    for (const { port } of probes) expect(ports.map((containerPort) => containerPort.name)).toContain(port);
    const { PORT, PARLEY_WORKER_PORT } = environmentOf(name);
    expect(String(ports[0]?.containerPort)).toBe(PORT ?? PARLEY_WORKER_PORT);
    expect(volumeMounts.map((mount) => mount.name).sort()).toEqual(volumes.map((volume) => volume.name).sort());
    for (const { configMap } of volumes) if (configMap) findManifest('ConfigMap', configMap.name);
    const program = (command.at(-1) ?? '').replace('dist/', '').replace(/js$/, 'ts');
    expect(() => readFileSync(path.join(__dirname, '../../..', program))).not.toThrow();
  });

  it.each(PROGRAMS)('select the pods of the %s by their labels', (name) => {
    const { selector, template } = findManifest('Deployment', name).spec;
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    expect(findManifest('PodDisruptionBudget', name).spec.selector).toEqual(selector);
  });

  it('expose every page and operation, but not metrics, the codec and health checks', () => {
    const rules: { path: string; pathType: string }[] = findManifest('Ingress', 'parley').spec.rules[0].http.paths;
    const isExposed = (route: string) =>
      rules.some(({ path: prefix, pathType }) =>
        pathType === 'Exact' ? route === prefix : route === prefix || route.startsWith(`${prefix}/`),
      );
    const inbound = CHANNELS.flatMap(({ name, createInboundRoutes }) => (createInboundRoutes ? [`/${name}/x`] : []));
    const files = readdirSync(path.join(__dirname, '../../../web/public')).filter((name) => !name.includes('answer'));
    const operations = Object.values(OPERATIONS).map((operation) => operation.path);
    const [internal, open] = partition([...operations, ...WEB_PAGES, ...inbound, ...files.map((name) => `/${name}`)]);
    expect(open.filter((route) => !isExposed(route))).toEqual([]);
    expect(internal.filter(isExposed)).toEqual([]);
    expect(internal).toEqual(expect.arrayContaining(['/metrics', '/codec/decode', '/readyz']));
  });

  it.each(PROGRAMS)('let into the %s only the namespaces that need it', (name) => {
    const { podSelector, policyTypes, ingress } = findManifest('NetworkPolicy', name).spec;
    expect(podSelector).toEqual(findManifest('Deployment', name).spec.selector);
    expect(policyTypes).toEqual(['Ingress']);
    const ports = pod(name).containers[0].ports.map((port) => port.name);
    for (const { from, ports: allowed } of ingress) {
      expect(from.length).toBeGreaterThan(0);
      expect(ports).toEqual(expect.arrayContaining(allowed.map(({ port }: { port: string }) => port)));
    }
  });

  it('lead from the ingress to the API, and allow silent streams', () => {
    const { spec, metadata } = findManifest('Ingress', 'parley') as Manifest & {
      metadata: { annotations: Record<string, string> };
    };
    const { name, port } = spec.rules[0].http.paths[0].backend.service;
    const service = findManifest('Service', name).spec;
    expect(service.ports.map((servicePort: { name: string }) => servicePort.name)).toContain(port.name);
    expect(service.selector).toEqual(findManifest('Deployment', 'parley-api').spec.selector.matchLabels);
    expect(metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
      'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
    });
    expect(new URL(environmentOf('parley-api').PARLEY_PUBLIC_URL ?? '').host).toBe(spec.rules[0].host);
  });
});
