import { defineConfig } from 'vitest/config'

/**
 * `npm test` leaves out those that take long, `*.slow.test.ts`, and npm run test:slow runs them; tests that need a browser
 * have a command of their own, npm run test:browser.
 */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: ['**/*browser.test.ts', '{node_modules,dist}/**'],
    // The modules of the server and of the suites are loaded once for each worker instead of once for each file.
    isolate: false,
    globalSetup: './vitest.setup.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Without it, `expect.poll` gives up after a second, and not at the end of the test.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
})
