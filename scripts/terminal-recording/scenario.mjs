/** What is to be seen: a conversation from its start to its result, with the questions it asks on the way. */

/** Only once keys count is this line there. */
const READY = 'Esc later';

export async function play(screen) {
  await screen.until('$');
  screen.begin();
  await screen.pause(0.6);
  await screen.type('parley start "Plan our team offsite"');
  await screen.pause(0.4);
  screen.press('Enter');

  await screen.until('What kind of place suits the group?');
  await screen.until(READY);
  await screen.pause(1.2);
  for (const key of ['Down', 'Up', 'Up']) await pressed(screen, key);
  await pressed(screen, 'Enter');

  await screen.until('What should be part of it?');
  await screen.pause(0.8);
  for (const key of ['Down', 'Down', 'Space', 'Enter']) await pressed(screen, key);

  await screen.until('All as you want it?');
  await screen.pause(1.2);
  await pressed(screen, 'Enter');

  await screen.until('asks you to confirm');
  await screen.until(READY);
  await screen.pause(1.6);
  await pressed(screen, 'Left');
  await pressed(screen, 'Enter');
  await screen.until('Completed in');
}

async function pressed(screen, key) {
  screen.press(key);
  await screen.pause(0.6);
}
