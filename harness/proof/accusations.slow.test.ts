import { expect, test } from 'vitest'
import { compose } from '../../reference-server/deviations/index.ts'
import { lineOf, requirementsWith } from '../conformance/test-support/check.ts'
import { checkReference, patchNamed } from './test-support/reference.ts'

/** Requirements of all surfaces that a fault turns red: the proof runs a fault with its own surface only. */
test.each([
  ['v3.chat: the request ends with 500', ['V3-CHAT-04']],
  ['v3.deleteChat: the request is refused', ['V3-CHAT-11']],
  ['v3.chatAttachments: the request is refused', ['V3-ATT-12']],
  ['v3.generate: the request ends with 500 (parent_id: not given)', ['V3-GEN-01']],
  ['v3.generate: the request ends with 500 (rag: false)', ['RAG-02']],
] as const)(
  '%s: a call that fails for each chat says nothing of versions, nor a mistake that fails without it',
  async (name, ids) => {
    const report = await checkReference(
      { patch: patchNamed(name) },
      { only: ['VER-0*', 'VER-10', 'V3-GEN-13', 'V3-GEN-14', ...ids] },
    )
    expect(requirementsWith(report, 'fail', 'warn').map(({ id }) => id)).toEqual(ids)
  },
  120_000,
)

test('a search that is refused is not called one without a result', async () => {
  const name = 'v3.generate: the request is refused (rag: true)'
  const report = await checkReference({ patch: patchNamed(name) }, { only: ['RAG-01'] })
  expect(requirementsWith(report, 'fail').map(lineOf)).toEqual([
    'RAG-01 fail: a generation that searches: expected success, received 400',
  ])
}, 120_000)

/** Words of customers are told apart as well as those of a run with a tag. */
test.each([false, true])(
  'a model that repeats its message is weak, and loses no context (incognito: %j)',
  async (incognito) => {
    const report = await checkReference(
      { patch: patchNamed('facts-repeated') },
      { only: ['V2-CTX-01'], depth: 'quick', incognito },
    )
    expect(requirementsWith(report, 'inconclusive').map(({ id }) => id)).toEqual(['V2-CTX-01'])
  },
  120_000,
)

/** The control of a fact says all that the chat may remember, and a chat without the fact was told its notes. */
test('a model that mixes up what its chat was told loses no context, and leaks none', async () => {
  const patches = ['facts-first-told', 'chats-remember-by-themselves'].map(patchNamed)
  const only = ['V2-CTX-*', 'V3-CTX-*', 'V3-GEN-16']
  const report = await checkReference({ patch: compose(patches) }, { only, depth: 'full' })
  expect(requirementsWith(report, 'fail', 'warn').map(lineOf)).toEqual([])
}, 240_000)

test('a stop sequence is found across two chunks with an empty one between them', async () => {
  const name = 'chunks-with-empty-content-between'
  const only = ['OAI-STOP-04']
  const report = await checkReference({ patch: patchNamed(name) }, { only, depth: 'quick' })
  expect(requirementsWith(report, 'pass').map(({ id }) => id)).toEqual(only)
}, 120_000)
