import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const path = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** True only if set explicitly: a test that skips itself without a browser proves nothing. */
export const skipBrowser = process.env['CHATGEN_SKIP_BROWSER'] !== undefined

export function launchChromium(): Promise<Browser> {
  if (!existsSync(path)) {
    throw new Error(
      `the HTML report is tested in a real browser, and there is none at ${path}: install Chromium (Debian: apt-get install chromium), name another with CHROMIUM=/path/to/chromium, or leave these tests out with CHATGEN_SKIP_BROWSER=1`,
    )
  }
  return chromium.launch({
    executablePath: path,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
