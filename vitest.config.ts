import { defineConfig } from 'vitest/config'

/** Tests that need a browser have a command of their own: npm run test:browser. */
export default defineConfig({
  test: {
    include: [
      '{contract,harness,reports,reference-server,fixtures,suites,bin,scripts}/**/*.test.ts',
    ],
    exclude: ['**/*browser.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
  },
})
