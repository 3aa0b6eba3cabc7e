/** Getting the time-skipping test server: the SDK's download, else its Java form by Maven. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { whyUnreachable } from '../download/reachability.mjs';
import { sayCannotDownload, sdkDownload } from '../download/sdk-download.mjs';
import { lastLines, run } from '../exec.mjs';
import { during, Failure } from '../log.mjs';
import { inPartialFolder, writableCache } from '../paths.mjs';
import { findOnPath, TEST_SERVER } from './find-temporal.mjs';

const VERSION = '1.38.0';
const JARS = `test-server-${VERSION}`;

/** The download needs the SDK, so it waits for `packages`. Maven does not: where nothing can be downloaded, it begins at once. */
export async function getTestServer(packages) {
  const cache = writableCache();
  const mvn = findMaven();
  const unreachable = mvn && (await whyUnreachable());
  if (unreachable) sayCannotDownload('the test server', unreachable);
  else {
    await packages;
    const downloaded = await sdkDownload('the test server', 'createTimeSkipping', cache, TEST_SERVER);
    if (downloaded) return downloaded;
  }
  return fromMaven(mvn, cache);
}

function findMaven() {
  return process.platform !== 'win32' && findOnPath('java') ? findOnPath('mvn') : undefined;
}

async function fromMaven(mvn, cache) {
  if (!mvn) {
    throw new Failure(
      'The tests need Temporal’s time-skipping test server, which can be got neither by download nor by Maven.\n' +
        'Let this machine reach https://temporal.download, or install Java and Maven, and start again.',
    );
  }
  return inPartialFolder(cache, async (folder) => {
    writeFileSync(path.join(folder, 'pom.xml'), pom());
    const jars = path.join(folder, 'jars');
    const args = ['-q', '-B', '-f', path.join(folder, 'pom.xml'), 'dependency:copy-dependencies'];
    const { ok, output } = await during('Getting the test server with Maven', () =>
      run(mvn, [...args, `-DoutputDirectory=${jars}`], { cwd: folder }),
    );
    if (!ok) throw new Failure(`Maven could not get the test server:\n\n${lastLines(output)}`);
    return putInPlace(cache, folder, jars);
  });
}

/** The launcher last: it is what the next start looks for. */
function putInPlace(cache, folder, jars) {
  rmSync(path.join(cache, JARS), { recursive: true, force: true });
  renameSync(jars, path.join(cache, JARS));
  writeFileSync(path.join(folder, TEST_SERVER), launcher(), { mode: 0o755 });
  renameSync(path.join(folder, TEST_SERVER), path.join(cache, TEST_SERVER));
  return path.join(cache, TEST_SERVER);
}

/** The SDK gives a server five seconds to come up: spend none on the optimising compiler. */
function launcher() {
  return `#!/bin/sh
jars="$(cd "$(dirname "$0")" && pwd)/${JARS}"
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp "$jars/*" io.temporal.testserver.TestServer "$@"
`;
}

function pom() {
  const dependencies = [
    ['io.temporal', 'temporal-test-server', VERSION],
    ['io.temporal', 'temporal-testing', VERSION],
    // Else it complains at every start that it has no logger.
    ['org.slf4j', 'slf4j-nop', '1.7.36'],
  ].map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>parley</groupId><artifactId>test-server</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>${dependencies.join('')}</dependencies>
</project>
`;
}
