import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{harness,reports,reference-server,fixtures,suites,bin}/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    maxWorkers: 2,
  },
})
