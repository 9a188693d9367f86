import { defineConfig } from 'vitest/config'

/** Tests in a real browser; they need Chromium. */
export default defineConfig({
  test: {
    include: ['**/*browser.test.ts'],
    exclude: ['{node_modules,dist}/**'],
    globalSetup: './vitest.setup.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 1,
  },
})
