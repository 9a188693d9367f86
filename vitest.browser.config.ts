import { defineConfig } from 'vitest/config'

/** The HTML report in a real browser; needs Chromium. */
export default defineConfig({
  test: {
    include: ['reports/**/*browser.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 1,
  },
})
