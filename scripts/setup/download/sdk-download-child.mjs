/**
 * Child process of the set-up: lets the SDK download a server into a folder and checks that it starts.
 *   node sdk-download-child.mjs createLocal|createTimeSkipping FOLDER
 */
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [kind, downloadDir] = process.argv.slice(2);
try {
  const environment = await TestWorkflowEnvironment[kind]({
    server: { executable: { type: 'cached-download', downloadDir } },
  });
  await environment.teardown();
} catch (error) {
  // The SDK repeats itself ("error sending request for url …: error sending …"); the last clauses are the reason.
  console.error(error.message.split(': ').slice(-2).join(': '));
  process.exitCode = 1;
}
