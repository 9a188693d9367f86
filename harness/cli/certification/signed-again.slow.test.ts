import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { envelopeName, sha256, sumsName, sumsText } from '../../certification/bundle.ts'
import { readPrivateKey } from '../../certification/inputs.ts'
import {
  payloadOf,
  readEnvelope,
  type Statement,
  sealed,
  statement,
} from '../../certification/statement.ts'
import { statementProblems } from '../../certification/verify/claims.ts'
import { readBundle } from '../../certification/verify/content.ts'
import { verifyBundle } from '../../certification/verify/verify.ts'
import { sharedEngine } from '../../conformance/test-support/check.ts'
import { copyOf, type MadeBundle, sharedBundle } from './test-support/bundles.ts'

/**
 * A vendor owns its key: after each edit, digests and signature match again. The bundle is refused because
 * requests, verdicts, reports or statement do not follow from challenge and exchanges.
 */
interface Edited {
  readonly edit?: (dir: string) => void
  /** False keeps digests and signature. */
  readonly isSignedAgain?: boolean
  /** Edits the statement. */
  readonly statement?: (signed: Statement) => unknown
  /** Each of them is given; edits that are found by the same step share a bundle, since a round takes long to judge. */
  readonly reasons: readonly RegExp[]
}

let made: MadeBundle
beforeAll(async () => {
  made = await sharedBundle()
}, 300_000)

const fileOf = (name: string) => (round: number) => `rounds/${round}/${name}`
const exchangesOf = fileOf('exchanges.ndjson.gz')
const reportOf = fileOf('report.json')
const recordOf = fileOf('run.json')

const minuteLater = (at: string) => new Date(Date.parse(at) + 60_000).toISOString()
const trailer =
  /files and digests: .* was changed: its gzip trailer does not match its content, or bytes follow it/

const edited: Readonly<Record<string, Edited>> = {
  'an edited request and an edited header': {
    edit: all(
      replaced(exchangesOf(1), /(?<=\\"max_tokens\\": ?)16/, '17'),
      replaced(exchangesOf(1), /"user-agent","[^"]+"/i, '"user-agent","chatgen"'),
    ),
    reasons: [
      /requests: round 1: POST .* (is not sent|is sent with another body)/,
      /requests: round 1: .* is sent with other headers/,
    ],
  },
  'a missing exchange': {
    edit: replaced(exchangesOf(1), /(?<=^(.*\n){3}).*\n/, ''),
    reasons: [/requests: round 1: .* is not recorded/],
  },
  'an exchange relabeled as a search for leftovers': {
    edit: changed(exchangesOf(1), (text) => {
      const negative = /^.*"role":"negative".*$/m
      return text.replace(negative, (line) =>
        line.replace(/"scenario":"[^"]+"/, '"scenario":"residue-audit"'),
      )
    }),
    reasons: [/requests: round 1: .* (does not look for leftovers of the round|is not recorded)/],
  },
  'a duplicate exchange': {
    edit: replaced(exchangesOf(2), /(?<=^.*\n)(.*\n)/, '$1$1'),
    reasons: [/exchanges: round 2: x\d+ is recorded twice/],
  },
  'an exchange replaced by that of another round': {
    edit(dir) {
      const other = String(gunzipSync(readFileSync(join(dir, exchangesOf(1))))).split('\n')
      const line = other.find((one) =>
        /"role":"arrange".*\/models"|\/models".*"role":"arrange"/.test(one),
      )
      const replace = (text: string) => text.split('\n').toSpliced(1, 1, line ?? other[0] ?? '')
      changed(exchangesOf(2), (text) => replace(text).join('\n'))(dir)
    },
    reasons: [/(exchanges|times and order|requests): round 2: /],
  },
  'an edited response and an edited verdict': {
    edit: all(
      replaced(exchangesOf(2), '"status":401', '"status":200'),
      replaced(reportOf(3), '"verdict": "pass"', '"verdict": "warn"'),
    ),
    reasons: [
      /verdicts: round 2: \S+ was reported as passed, but the evidence shows violated: /,
      /verdicts: round 3: \S+ was reported as warning, but the evidence shows passed/,
    ],
  },
  'a line that is not an exchange': {
    edit: changed(exchangesOf(2), (text) => `${text}{}\n`),
    reasons: [/exchanges: round 2: line \d+ of exchanges\.ndjson is not an exchange/],
  },
  'a line with a duplicate key': {
    edit: replaced(exchangesOf(2), '{"id":"', '{"id":"x99999","id":"'),
    reasons: [
      /exchanges: round 2: line 1 of exchanges\.ndjson is not an exchange as chatgen stores it/,
    ],
  },
  'events that the bytes do not contain': {
    edit: replaced(exchangesOf(2), /("events":\[\{[^}]*"data":")/, '$1 '),
    reasons: [/exchanges: round 2: x\d+ has events that its bytes do not contain/],
  },
  'a time that runs backwards': {
    edit: replaced(exchangesOf(2), /"headersAtMs":[\d.]+/, '"headersAtMs":999999'),
    reasons: [/times and order: round 2: x\d+ has times that run backwards/],
  },
  'a time outside the round': {
    edit: replaced(exchangesOf(2), /"startedAt":"\d+/, '"startedAt":"2025'),
    reasons: [/times and order: round 2: x\d+ lies outside the time of its round/],
  },
  'a round that begins after the next one': {
    edit: all(
      ...[reportOf(1), recordOf(1), exchangesOf(1)].map((path) =>
        changed(path, (text) => text.replaceAll(/(?<="startedAt": ?")[^"]+/g, minuteLater)),
      ),
    ),
    reasons: [/^times and order: round 2 began before round 1 had ended$/],
  },
  'an edit in each report and in the page': {
    edit: all(
      replaced(reportOf(1), '{', '{ "award": "gold",'),
      replaced(reportOf(2), /"title": "/, '"title": "Always: '),
      replaced(reportOf(3), /"answer": "/, '"answer": "very good: '),
      replaced('report.html', '</main>', '<b>Gold</b></main>'),
    ),
    reasons: [
      /reports: round 1: report\.json is not in the form that chatgen writes/,
      /reports: round 2: report\.json: requirements is not what the evidence shows/,
      /reports: round 3: report\.json: observations is not what the evidence shows/,
      /reports: report\.html is not what chatgen writes for the last round/,
    ],
  },
  'surfaces that were not tested': {
    edit: inEachRound((round) =>
      replaced(reportOf(round), '"profile": "openai"', '"profile": "full"'),
    ),
    statement: (signed) => configure(signed, 'profile', { surfaces: 'full' }),
    reasons: [/rounds and settings: round 1: it covers openai, not the certified surfaces/],
  },
  'a selection of requirements': {
    edit: replaced(recordOf(1), '"skip": []', '"skip": ["OAI-CHAT-02"]'),
    reasons: [/rounds and settings: round 1: requirements were selected or skipped/],
  },
  'a seed that does not follow from the challenge': {
    edit: replaced(recordOf(1), /"seed": "\w/, '"seed": "z'),
    reasons: [/rounds and settings: round 1: its seed is .* follows from the challenge/],
  },
  'an undeclared capability': {
    edit: inEachRound((round) => replaced(recordOf(round), /"images": (true|false),?/, '')),
    reasons: [/rounds and settings: round 1: its profile leaves open: capabilities\.images/],
  },
  'rounds of another version of chatgen': {
    edit: replaced(recordOf(1), /"version": "[^"]+"/, '"version": "9.9.9"'),
    reasons: [
      /rounds and settings: .* made with chatgen 9\.9\.9, .* verify it with chatgen 9\.9\.9/,
    ],
  },
  'another version of chatgen': {
    statement: (signed) => configure(signed, 'chatgen-conformance', { version: '9.9.9' }),
    reasons: [/rounds and settings: .* do not name the same version of chatgen/],
  },
  'another challenge': {
    statement: (signed) =>
      configure(signed, 'challenge', { challenge: 'another-challenge-of-today' }),
    reasons: [/challenge: the digest of the challenge is not that of its text/],
  },
  'passed tests that are not in the rounds': {
    statement: (signed) =>
      predicate(signed, { passedTests: [...signed.predicate.passedTests, 'V3-IDEM-02'] }),
    reasons: [/statement: passed and warned tests are not those of the rounds/],
  },
  'an additional file': {
    edit: (dir) => writeFileSync(join(dir, 'award.txt'), 'gold'),
    reasons: [/files and digests: award\.txt does not belong in a bundle/],
  },
  'a missing file': {
    edit: (dir) => rmSync(join(dir, 'badge.svg')),
    reasons: [/files and digests: SHA256SUMS does not list badge\.svg/],
  },
  'bytes after a compressed file': {
    edit: (dir) => appendFileSync(join(dir, exchangesOf(1)), 'gold'),
    isSignedAgain: false,
    reasons: [trailer],
  },
  'a second, empty member in a compressed file': {
    edit: (dir) => appendFileSync(join(dir, exchangesOf(1)), gzipSync('')),
    isSignedAgain: false,
    reasons: [trailer],
  },
  'a link': {
    edit(dir) {
      rmSync(join(dir, 'badge.svg'))
      symlinkSync('/dev/zero', join(dir, 'badge.svg'))
    },
    isSignedAgain: false,
    reasons: [/signature: badge\.svg is not a regular file/],
  },
  'a product file with another field': {
    edit: replaced('product.json', '{', '{ "award": "gold",'),
    reasons: [/files and digests: product\.json is not a product file/],
  },
}

test.each(Object.entries(edited))('a bundle with %s does not verify', async (_, one) => {
  const { edit, isSignedAgain = true, statement, reasons } = one
  const copy = copyOf(made)
  edit?.(copy)
  if (isSignedAgain) signAgain(copy, statement)
  const { verified, steps } = await verifyBundle({ dir: copy, engine: sharedEngine })
  expect(verified).toBe(false)
  // The failed step is the last one.
  const { title, problems } = steps.at(-1) ?? { title: '', problems: [] }
  const refused = problems.map((problem) => `${title}: ${problem}`).join('\n')
  for (const reason of reasons) expect(refused).toMatch(reason)
})

/** The last step of `verifyBundle`, with the reports of the rounds as they are stored. */
test.each<[string, (signed: Statement) => unknown, RegExp]>([
  [
    'another catalog',
    (signed) => configure(signed, 'catalog', {}, 'a'.repeat(64)),
    /^the configuration "catalog" is not that of the rounds/,
  ],
  [
    'the name of another product',
    (signed) => ({ ...signed, subject: [{ ...signed.subject[0], name: 'Other AG Chat 1.0' }] }),
    /^the subject Other AG Chat 1\.0 is not the product of product\.json/,
  ],
  [
    'an additional entry in the configuration',
    (signed) =>
      predicate(signed, {
        configuration: [...signed.predicate.configuration, { name: 'award', digest: {} }],
      }),
    /^the configuration has entries that a certification does not write/,
  ],
])('a statement with %s does not verify', (_, change, reason) => {
  const copy = copyOf(made)
  signAgain(copy, change)
  const { content } = readBundle(copy, undefined)
  const reports = content?.rounds.map(({ report }) => report) ?? []
  expect(content && statementProblems(content, reports).join()).toMatch(reason)
})

function all(...edits: readonly ((dir: string) => void)[]) {
  return (dir: string) => {
    for (const edit of edits) edit(dir)
  }
}

function inEachRound(edit: (round: number) => (dir: string) => void) {
  return all(...[1, 2, 3].map(edit))
}

function replaced(path: string, from: string | RegExp, to: string) {
  return changed(path, (text) => text.replace(from, to))
}

/** Changes a file of a bundle. */
function changed(path: string, change: (text: string) => string) {
  return (dir: string) => {
    const file = join(dir, path)
    const isPacked = path.endsWith('.gz')
    const before = String(isPacked ? gunzipSync(readFileSync(file)) : readFileSync(file))
    const after = change(before)
    expect(after).not.toBe(before)
    writeFileSync(file, isPacked ? gzipSync(after) : after)
  }
}

function predicate(signed: Statement, change: Partial<Statement['predicate']>): unknown {
  return { ...signed, predicate: { ...signed.predicate, ...change } }
}

/** Changes annotations, and the digest if it is given, of one entry of the configuration. */
function configure(
  signed: Statement,
  name: string,
  annotations: Readonly<Record<string, unknown>>,
  sha256?: string,
): unknown {
  const configuration = signed.predicate.configuration.map((entry) =>
    entry.name === name
      ? {
          ...entry,
          digest: sha256 === undefined ? entry.digest : { sha256 },
          annotations: { ...entry.annotations, ...annotations },
        }
      : entry,
  )
  return predicate(signed, { configuration })
}

/** Updates digests and signature after an edit, with the key of the signer; `change` edits the statement. */
function signAgain(dir: string, change = (signed: Statement): unknown => signed): void {
  const name = join(made.folder, 'key.pem')
  const key = readPrivateKey({ name, text: readFileSync(name, 'utf8') })
  writeFileSync(join(dir, sumsName), sumsText(dir))
  const file = join(dir, envelopeName)
  const envelope = readEnvelope(readFileSync(file, 'utf8'))
  const signed = statement.parse(JSON.parse(String(payloadOf(envelope))))
  const { digest } = signed.predicate.configuration.find(({ name }) => name === sumsName) ?? {}
  if (digest !== undefined) digest['sha256'] = sha256(readFileSync(join(dir, sumsName)))
  writeFileSync(file, sealed(Buffer.from(JSON.stringify(change(signed))), key))
}
