/** Takes the screenshots, each in a browser context of its own. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { PROJECT } from '../setup/paths.mjs';

const DESKTOP = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.4 };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };

const FORM = 'article form';
/** A row gets the title of its conversation shortly after it appears. */
const ROW = 'li:has-text("Plan our team offsite")';
/** The question may appear before the list. */
const LIST_AND_FORM = `section:has(${ROW}) ~ section ${FORM}`;

/** Returns each screenshot's name, path, selector to wait for, theme and device. */
function listScreenshots({ question, confirmation, conversation, link }) {
  return [
    ['inbox-light', question, LIST_AND_FORM, 'light', DESKTOP],
    ['inbox-dark', question, LIST_AND_FORM, 'dark', DESKTOP],
    ['conversation-light', conversation, FORM, 'light', DESKTOP],
    ['confirmation-dark', confirmation, LIST_AND_FORM, 'dark', DESKTOP],
    ['conversations', '/conversations', 'main article', 'light', DESKTOP],
    ['start', '/new', 'main textarea', 'light', DESKTOP],
    ['phone-inbox', '/', `main ${ROW}`, 'light', PHONE],
    ['phone-question', question, FORM, 'dark', PHONE],
    ['phone-link', link, FORM, 'light', PHONE],
  ];
}

/** Takes all screenshots. Returns a line about each. */
export async function takeScreenshots(url, paths, folder) {
  const { chromium: executablePath } = JSON.parse(readFileSync(path.join(PROJECT, 'dist', 'toolchain.json'), 'utf8'));
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--hide-scrollbars'] });
  const lines = [];
  try {
    for (const [name, urlPath, selector, colorScheme, screen] of listScreenshots(paths)) {
      const context = await browser.newContext({
        ...screen,
        colorScheme,
        reducedMotion: 'reduce',
        locale: 'en-GB',
      });
      const page = await context.newPage();
      await page.goto(url + urlPath);
      await page.locator(selector).first().waitFor();
      await page.evaluate(() => document.fonts.ready);
      const file = path.join(folder, `${name}.png`);
      await page.screenshot({ path: file, animations: 'disabled', caret: 'hide' });
      await context.close();
      lines.push(`  ${path.relative(PROJECT, file)}  ${Math.round(statSync(file).size / 1_024)} KB`);
    }
  } finally {
    await browser.close();
  }
  return lines;
}
