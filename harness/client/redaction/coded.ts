import type { CodedBody, Exchange } from '../../../contract/index.ts'

/**
 * The coded bytes of a body, which no search for a secret can read. They stand beside the decoded
 * ones only where those were read to their end and hold no secret.
 */
export function redactCoded(before: Exchange, after: Exchange): CodedBody | undefined {
  const coded = before.response?.coded
  if (coded === undefined || (before.ending.kind !== 'undecodable' && isClean(before, after))) {
    return coded
  }
  const withheldBytes = coded.chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
  return { coding: coded.coding, chunks: [], withheldBytes }
}

function isClean(before: Exchange, after: Exchange): boolean {
  const chunks = after.response?.chunks ?? []
  return (
    before.response?.chunks.every(({ bytes }, at) => chunks[at]?.bytes === bytes) === true &&
    before.events.every(({ data, name }, at) => {
      const event = after.events[at]
      return event?.data === data && event.name === name
    })
  )
}
