import { isDeepStrictEqual } from 'node:util'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import { runRecordName, suiteVersion } from '../../conformance/defaults.ts'
import { profileOfRecord, type RunRecord } from '../../conformance/recording/record.ts'
import { recordProblem, sha256 } from '../bundle.ts'
import { roundSeed } from '../inputs.ts'
import { judgeRounds, openMembers, refusedSettings } from '../rules.ts'
import { annotationOf, configured, digestIn, statementOf } from '../statement.ts'
import type { BundleContent } from './content.ts'

/** Claims of a certificate, compared with its own evidence. */

/** Empty if the bundle answers the challenge that was expected. */
export function challengeProblem(content: BundleContent, expected: string | undefined): string[] {
  const { challenge, statement } = content
  if (digestIn(statement, configured.challenge) !== sha256(challenge))
    return ['the digest of the challenge is not that of its text']
  if (expected === undefined || expected === challenge) return []
  return [`the certificate answers the challenge "${challenge}", not "${expected}"`]
}

/** Settings of the rounds: seeds from the challenge, nothing skipped, one version and profile for all. */
export function roundProblems(content: BundleContent): string[] {
  const { rounds, challenge, statement, productText } = content
  const version = rounds[0]?.record.suite.version
  if (version !== suiteVersion()) {
    // Another version sends other requests.
    const versions = `the bundle was made with chatgen ${version}, and this is ${suiteVersion()}`
    return [`${versions}: verify it with chatgen ${version}`]
  }
  const profileDigest = digestIn(statement, configured.profile)
  const problems = rounds.flatMap(({ round, record, recordText, report }) => {
    const found = [recordProblem(record, roundSeed(challenge, round)), profileProblem(record)]
    const surfaces = record.selection.profile
    if (!isWritten(recordText, record)) {
      found.push(`${runRecordName} is not in the form that chatgen writes`)
    }
    if (!isDeepStrictEqual(record.suite, report.suite)) {
      found.push('report and record do not name the same suite')
    }
    if (sha256(JSON.stringify(record.profile)) !== profileDigest) {
      found.push('its profile is not the certified one')
    }
    if (report.seed !== record.seed || report.startedAt !== record.startedAt) {
      found.push('report and record are not of the same run')
    }
    if (surfaces !== surfacesOf(statement) || report.target.profile !== surfaces) {
      found.push(`it covers ${surfaces}, not the certified surfaces`)
    }
    const certified = annotationOf(statement, configured.kit, 'version')
    const versions = [record.suite.version, report.suite.version, certified]
    if (versions.some((one) => one !== version)) {
      found.push('record, report and statement do not name the same version of chatgen')
    }
    return found.filter((text) => text !== null).map((text) => `round ${round}: ${text}`)
  })
  if (digestIn(statement, configured.product) !== sha256(productText))
    problems.push('product.json is not the certified one')
  return problems
}

/** True for the text of a value with all its fields, as chatgen writes JSON. */
function isWritten(text: string, value: unknown): boolean {
  const stored: unknown = JSON.parse(text)
  return text === `${JSON.stringify(stored, null, 2)}\n` && isDeepStrictEqual(stored, value)
}

/** Rule that the profile of a round breaks; null for none. */
function profileProblem(record: RunRecord): string | null {
  try {
    const profile = profileOfRecord(record, runRecordName)
    const [refused] = refusedSettings(profile, record.selection.profile)
    if (refused !== undefined) return `its profile is refused: ${refused}`
    const open = openMembers(profile, record.selection.profile)
    return open.length === 0 ? null : `its profile leaves open: ${open.join(', ')}`
  } catch {
    return 'its profile is not a target profile'
  }
}

/** Compares the statement with the rounds as judged again. */
export function statementProblems(
  content: BundleContent,
  reports: readonly ConformanceReport[],
): string[] {
  const { statement, product, productText, challenge, sums, rounds } = content
  const result = judgeRounds(reports)
  const expected = statementOf({
    product,
    productText,
    challenge,
    sums,
    result,
    surfaces: String(surfacesOf(statement)),
    profileText: JSON.stringify(rounds[0]?.record.profile),
  })
  const [[subject], [ownSubject]] = [statement.subject, expected.subject]
  const [claimed, own] = [statement.predicate, expected.predicate]
  const problems = result.refusals.map(({ text }) => text)
  const tests = ({ passedTests, warnedTests }: typeof claimed) => [passedTests, warnedTests]
  if (!isDeepStrictEqual(tests(claimed), tests(own))) {
    problems.push('passed and warned tests are not those of the rounds')
  }
  if (claimed.result !== own.result) {
    problems.push(`the result ${claimed.result} does not follow from the rounds`)
  }
  if (subject.name !== ownSubject.name) {
    problems.push(`the subject ${subject.name} is not the product of product.json`)
  }
  if (!isDeepStrictEqual(subject.digest, ownSubject.digest)) {
    problems.push('the digest of the subject is not that of the product')
  }
  for (const entry of own.configuration) {
    const given = claimed.configuration.find(({ name }) => name === entry.name)
    if (isDeepStrictEqual(given, entry)) continue
    problems.push(
      `the configuration "${entry.name}" is not that of the rounds and of chatgen ${suiteVersion()}`,
    )
  }
  if (problems.length > 0) return problems
  const names = ({ configuration }: typeof claimed) => configuration.map(({ name }) => name)
  const isWhole = isDeepStrictEqual(names(claimed), names(own))
  return isWhole ? [] : ['the configuration has entries that a certification does not write']
}

function surfacesOf(statement: BundleContent['statement']): unknown {
  return annotationOf(statement, configured.profile, 'surfaces')
}
