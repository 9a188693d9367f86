import { answerJson, type Exchange, leavesOf } from '../../harness/conformance/scenario/index.ts'

/**
 * The versions that an answer states of a chat: values beside its id, in one object. A version
 * anywhere else may repeat a request, this one or an earlier one.
 */
export function statedVersions(answer: Exchange, chatId: string): string[] {
  const leaves = leavesOf(answerJson(answer)).map(({ path, value }) => ({
    record: path.slice(0, -1).join('/'),
    text: typeof value === 'string' ? value.toLowerCase() : '',
  }))
  const records = leaves
    .filter(({ text }) => text === chatId.toLowerCase())
    .map(({ record }) => record)
  return leaves
    .filter(({ record, text }) => records.includes(record) && (text === 'v2' || text === 'v3'))
    .map(({ text }) => text)
}
