/** Phrases of assertion libraries, of JavaScript or of internal enums, which no message may quote. */
const privateWords =
  /\bto (?:be|have|equal|contain|deeply|match)\b.*\bexpected\b|\bexpected\b.*\bto (?:be (?!sent|a list)|have|equal|contain|deeply|match)|AssertionError|\bObject\.is\b|\[ ?Array\(|\[object |\bundefined\b|\bNaN\b|\bbunched\b|\bfalse to be\b|\btrue to be\b|\bto(?:Be|Equal|Match|Contain)\b|\btruthy\b|\bfalsy\b|ZodError|\binvalid_type\b|\bnode:internal\b/

/** Finite verbs of the messages; a clause without one says nothing of its subject. */
const finiteVerb =
  /\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|must|arrived|arrives|ate|calls?|came|changed|changes|comes|contains?|continues?|creates?|cut|describes?|differs?|ended|ends|equals?|expected|finds?|follows?|gave|gives|got|grows?|holds?|keeps?|knows?|lacks?|leaves?|lies|lists?|made|makes?|names?|occurs?|rejects?|repeats?|returns?|searched|sent|shows?|starts?|stated|states?|stays?|stops?|succeeds|took|used|uses)\b/i

const comparison = /^(?<subject>.+): expected (?<expected>.+?), received (?<received>.+)$/s

export function quotesInternals(message: string): boolean {
  return privateWords.test(message)
}

/**
 * Reason why the message of a violated requirement is not a sentence with expected and received;
 * undefined if it is one.
 */
export function messageProblem(message: string): string | undefined {
  if (quotesInternals(message)) return 'quotes internals'
  if (/\b(?:is|are|has) nothing\b/.test(message)) return 'calls a missing value nothing'
  if (/^(?:expected that|unexpected:) /.test(message)) return 'does not say what was received'
  const { subject, expected, received } = comparison.exec(message)?.groups ?? {}
  if (subject === undefined) {
    return finiteVerb.test(message) ? undefined : 'has no verb'
  }
  if (expected === received) return 'expects what it received'
  const isClause = expected === 'yes' || expected === 'no'
  return isClause && !finiteVerb.test(subject)
    ? 'asks yes or no of a clause without a verb'
    : undefined
}
