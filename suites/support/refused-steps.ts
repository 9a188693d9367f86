import {
  type Chat,
  type Claim,
  declined,
  type Exchange,
  expect,
  type HistoryRow,
  inputRows,
} from '../../harness/conformance/scenario/index.ts'

interface V3 {
  walk(
    chat: Chat,
  ): Promise<{ readonly rows: readonly HistoryRow[]; readonly pages: readonly Exchange[] }>
}

/** V3-GEN-14: what was refused is not in the history. What was let through is there with every right. */
export async function leavesNoStep(
  { v3, claim }: { readonly v3: V3; readonly claim: Claim },
  chat: Chat,
  nonce: string,
  refused: Exchange,
): Promise<void> {
  if (!declined(refused)) return
  const { rows, pages } = await v3.walk(chat)
  claim(
    'V3-GEN-14',
    () => expect(inputRows(rows, nonce), 'steps of the refused request').toEqual([]),
    refused,
    ...pages,
  )
}
