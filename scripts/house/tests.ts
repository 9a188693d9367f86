import { matchesGlob } from 'node:path'
import type { ViteUserConfig } from 'vitest/config'
import inBrowser from '../../vitest.browser.config.ts'
import all from '../../vitest.config.ts'
import type { Repository } from './repository.ts'

const commands: Readonly<Record<string, ViteUserConfig>> = {
  'npm test and npm run test:slow': all,
  'npm run test:browser': inBrowser,
}

/** Test files that no command runs, or two. */
export function testProblems(repository: Repository): readonly string[] {
  return [...repository.keys()].filter(isTest).flatMap((path) => {
    const running = Object.keys(commands).filter((name) => runs(commands[name], path))
    if (running.length === 1) return []
    return [`${path}: run by ${running.length === 0 ? 'no command' : running.join(' and ')}`]
  })
}

function isTest(path: string): boolean {
  return /[._](test|tests|spec|slow)\.[cm]?[jt]sx?$/.test(path)
}

function runs(config: ViteUserConfig | undefined, path: string): boolean {
  const { include = [], exclude = [] } = config?.test ?? {}
  const matches = (glob: string) => matchesGlob(path, glob)
  return include.some(matches) && !exclude.some(matches)
}
