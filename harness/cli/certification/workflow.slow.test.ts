import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { workplace } from '../test-support/chatgen.ts'
import { challenge, type MadeBundle, sharedBundle } from './test-support/bundles.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const workflow = z.object({
  jobs: z.object({
    verify: z.object({ steps: z.array(z.object({ run: z.string().optional() })) }),
  }),
})

/** The script of the workflow that verifies the bundles of a pull request. */
const script = workflow
  .parse(parse(readFileSync(join(root, 'deploy/certification/verify-certificates.yml'), 'utf8')))
  .jobs.verify.steps.at(-1)?.run

let made: MadeBundle
beforeAll(async () => {
  made = await sharedBundle()
}, 120_000)

describe('the workflow', () => {
  test('passes a bundle that verifies', () => {
    const { status, stdout } = verify((at) => cpSync(made.dir, at('example/chat-1.0'), copying))
    expect(stdout).toMatch(/^VERIFIED {2}Example AG Chat 1\.0$/m)
    expect(status).toBe(0)
  })

  test.each(
    Object.entries<[(at: (path: string) => string) => void, RegExp]>({
      'a bundle that was edited': [
        (at) => {
          cpSync(made.dir, at('example/chat-1.0'), copying)
          writeFileSync(at('example/chat-1.0/badge.svg'), '<svg/>')
        },
        /badge\.svg was changed/,
      ],
      'a bundle without a challenge of the base branch': [
        (at) => cpSync(made.dir, at('example/chat-2.0'), copying),
        /::error::example\/chat-2\.0: the base branch has no/,
      ],
      'a bundle in a folder with an unusual name': [
        (at) => cpSync(made.dir, at('exam"ple/ch\tat-1.0'), copying),
        /::error::.*the base branch has no/,
      ],
      'a link in the place of a bundle': [
        (at) => {
          mkdirSync(at('example'), { recursive: true })
          symlinkSync('/tmp', at('example/chat-1.0'))
        },
        /::error::certificates\/example\/chat-1\.0 is not a folder/,
      ],
    }),
  )(
    'fails for %s',
    (_, [propose, reason]) => {
      const { status, stdout } = verify(propose)
      expect(stdout).toMatch(reason)
      expect(status).toBe(1)
    },
    60_000,
  )
})

const copying = { recursive: true } as const

/** Runs the script on a pull request; `propose` writes its files below certificates/. */
function verify(propose: (at: (path: string) => string) => void) {
  const program = `exec "${process.execPath}" "${join(root, 'bin/chatgen.cjs')}" "$@"`
  const { folder, at } = workplace(
    {},
    {
      'base/challenges/example/chat-1.0.txt': `${challenge}\n`,
      'base/keys/example.pem': readFileSync(join(made.folder, 'public.pem'), 'utf8'),
      'proposed/README.md': 'Certificates\n',
      'bin/chatgen': `#!/bin/sh\n${program}\n`,
    },
  )
  chmodSync(at('bin/chatgen'), 0o755)
  const git = (line: string) =>
    execFileSync('git', line.split(' '), { cwd: at('proposed'), encoding: 'utf8' })
  const commit = () => {
    git('add --all')
    git('-c user.name=A -c user.email=a@example.org commit --quiet --message Change')
  }
  git('init --quiet')
  commit()
  const base = git('rev-parse HEAD').trim()
  mkdirSync(at('proposed/certificates'))
  propose((path) => at(`proposed/certificates/${path}`))
  commit()
  return spawnSync('bash', ['-c', script ?? 'exit 9'], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: `${at('bin')}:${process.env['PATH']}`,
      BASE: base,
      GITHUB_STEP_SUMMARY: at('summary'),
    },
  })
}
