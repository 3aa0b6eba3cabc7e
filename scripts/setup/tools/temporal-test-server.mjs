/** Installs the time-skipping test server: the SDK's download, else its Java version through Maven. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findUnreachableReason } from '../download/reachability.mjs';
import { downloadWithSdk, printDownloadFailure } from '../download/sdk-download.mjs';
import { lastLines, runProgram } from '../exec.mjs';
import { SetupError, withProgress } from '../log.mjs';
import { findWritableCache, inTemporaryFolder } from '../paths.mjs';
import { findOnPath, TEST_SERVER_FILE } from './find-temporal.mjs';

const VERSION = '1.38.0';
const JARS_FOLDER = `test-server-${VERSION}`;

/**
 * Installs the test server. The download needs the SDK, so it waits for `packages`. Maven does not, so it starts at
 * once if downloads are impossible.
 */
export async function installTestServer(packages) {
  const cache = findWritableCache();
  const mvn = findMaven();
  const unreachable = mvn && (await findUnreachableReason());
  if (unreachable) printDownloadFailure('the test server', unreachable);
  else {
    await packages;
    const downloaded = await downloadWithSdk('the test server', 'createTimeSkipping', cache, TEST_SERVER_FILE);
    if (downloaded) return downloaded;
  }
  return installWithMaven(mvn, cache);
}

function findMaven() {
  return process.platform !== 'win32' && findOnPath('java') ? findOnPath('mvn') : undefined;
}

async function installWithMaven(mvn, cache) {
  if (!mvn) {
    throw new SetupError(
      "The tests need Temporal's time-skipping test server, which can't be downloaded or installed with Maven.\n" +
        'Allow access to https://temporal.download, or install Java and Maven. Then try again.',
    );
  }
  return inTemporaryFolder(cache, async (folder) => {
    writeFileSync(path.join(folder, 'pom.xml'), pomXml());
    const jars = path.join(folder, 'jars');
    const args = ['-q', '-B', '-f', path.join(folder, 'pom.xml'), 'dependency:copy-dependencies'];
    const { ok, output } = await withProgress('Installing the test server with Maven', () =>
      runProgram(mvn, [...args, `-DoutputDirectory=${jars}`], { cwd: folder }),
    );
    if (!ok) throw new SetupError(`Maven could not install the test server:\n\n${lastLines(output)}`);
    return moveToCache(cache, folder, jars);
  });
}

/** Moves the launcher last, because the next start looks for it. */
function moveToCache(cache, folder, jars) {
  rmSync(path.join(cache, JARS_FOLDER), { recursive: true, force: true });
  renameSync(jars, path.join(cache, JARS_FOLDER));
  writeFileSync(path.join(folder, TEST_SERVER_FILE), launcherScript(), { mode: 0o755 });
  renameSync(path.join(folder, TEST_SERVER_FILE), path.join(cache, TEST_SERVER_FILE));
  return path.join(cache, TEST_SERVER_FILE);
}

/** Returns the launcher script. The SDK gives a server five seconds to start, so the optimizing compiler is off. */
function launcherScript() {
  return `#!/bin/sh
jars="$(cd "$(dirname "$0")" && pwd)/${JARS_FOLDER}"
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp "$jars/*" io.temporal.testserver.TestServer "$@"
`;
}

function pomXml() {
  const dependencies = [
    ['io.temporal', 'temporal-test-server', VERSION],
    ['io.temporal', 'temporal-testing', VERSION],
    // Without it, the server prints a warning about a missing logger at every start.
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
