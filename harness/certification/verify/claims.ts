import { isDeepStrictEqual } from 'node:util'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { sha256 } from '../bundle.ts'
import { roundSeed } from '../challenge.ts'
import { recordProblem } from '../round-record.ts'
import { judgeRounds } from '../rules.ts'
import { configurationOf, configured, digestOf } from '../statement.ts'
import type { BundleContent } from './content.ts'

/** Claims of a certificate, compared with its own evidence. */

/** Empty if the bundle answers the challenge that was expected. */
export function challengeProblem(content: BundleContent, expected: string | undefined): string[] {
  const { challenge, statement } = content
  const digest = configurationOf(statement, configured.challenge)?.digest['sha256']
  if (digest !== sha256(challenge)) return ['the digest of the challenge is not that of its text']
  if (expected === undefined || expected === challenge) return []
  return [`the certificate answers the challenge "${challenge}", not "${expected}"`]
}

/** Settings of the rounds: seeds from the challenge, nothing skipped, one profile for all. */
export function roundProblems({ rounds, challenge, statement, productText }: BundleContent) {
  const problems: string[] = []
  const profileDigest = configurationOf(statement, configured.profile)?.digest['sha256']
  for (const { round, record, report } of rounds) {
    const problem = recordProblem(record, roundSeed(challenge, round))
    if (problem !== null) problems.push(`round ${round}: ${problem}`)
    if (sha256(JSON.stringify(record.profile)) !== profileDigest) {
      problems.push(`round ${round}: its profile is not the certified one`)
    }
    if (report.seed !== record.seed || report.startedAt !== record.startedAt) {
      problems.push(`round ${round}: report and record are not of the same run`)
    }
    if (report.target.profile !== surfacesOf(statement)) {
      problems.push(
        `round ${round}: it covers ${report.target.profile}, not the certified surfaces`,
      )
    }
  }
  const productDigest = configurationOf(statement, configured.product)?.digest['sha256']
  if (productDigest !== sha256(productText)) problems.push('product.json is not the certified one')
  return problems
}

/** The statement against the rounds as they were judged anew. */
export function statementProblems(
  { statement, product, productText }: BundleContent,
  reports: readonly ConformanceReport[],
): string[] {
  const result = judgeRounds(reports)
  const { predicate, subject } = statement
  const claimed = { passed: predicate.passedTests, warned: predicate.warnedTests }
  const problems = [...result.refusals]
  if (!isDeepStrictEqual(claimed, { passed: result.passed, warned: result.warned })) {
    problems.push('passed and warned tests are not those of the rounds')
  }
  if ((predicate.result === 'WARNED') !== result.warned.length > 0) {
    problems.push(`the result ${predicate.result} does not follow from the rounds`)
  }
  const [{ name, digest }] = subject
  if (name !== `${product.vendor} ${product.name} ${product.version}`) {
    problems.push(`the subject ${name} is not the product of product.json`)
  }
  if (!isDeepStrictEqual(digest, digestOf(product) ?? { sha256: sha256(productText) })) {
    problems.push('the digest of the subject is not that of the product')
  }
  return problems
}

function surfacesOf(statement: BundleContent['statement']): unknown {
  return configurationOf(statement, configured.profile)?.annotations?.['surfaces']
}
