/** The recorded scenario: a conversation from its start to its result, with the questions it asks. */

/** This line appears only once keys are accepted. */
const READY_TEXT = 'Esc later';

export async function playScenario(screen) {
  await screen.until('$');
  screen.begin();
  await screen.pause(0.6);
  await screen.type('parley start "Plan our team offsite"');
  await screen.pause(0.4);
  screen.press('Enter');

  await screen.until('What kind of place suits the group?');
  await screen.until(READY_TEXT);
  await screen.pause(1.2);
  for (const key of ['Down', 'Up', 'Up']) await pressKey(screen, key);
  await pressKey(screen, 'Enter');

  await screen.until('What should the programme include?');
  await screen.pause(0.8);
  for (const key of ['Down', 'Down', 'Space', 'Enter']) await pressKey(screen, key);

  await screen.until('Ready to send?');
  await screen.pause(1.2);
  await pressKey(screen, 'Enter');

  await screen.until('needs your approval');
  await screen.until(READY_TEXT);
  await screen.pause(1.6);
  await pressKey(screen, 'Left');
  await pressKey(screen, 'Enter');
  await screen.until('Completed in');
  // Long enough for the recording to capture the last screen.
  await screen.pause(0.6);
}

async function pressKey(screen, key) {
  screen.press(key);
  await screen.pause(0.6);
}
