import {
  assume,
  contains,
  covers,
  describe,
  describeShape,
  expect,
  expectAccepted,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { isContentRefusal } from '../support/refusals.ts'
import { buildTextFile, claimRecord, uploadFile } from '../support/test-data.ts'

/** Sections 2.4 and 4.3: the upload of a file. */
describe('v3: attachments', () => {
  const described = ['V3-ATT-01', 'V3-ATT-02', 'V3-ATT-03', 'V3-ATT-04', 'V3-ATT-05'] as const

  test(
    'POST /attachment MUST return an attachment that describes a file',
    covers([...described, 'V3-ATT-06', 'V3-ATT-08'], { requests: 17, uploads: 6, chats: 2 }),
    async (scenario) => {
      const { attachments, claim, session, profile } = scenario
      const named = buildTextFile(session, session.nonce(), ' Größe 東京 (1)+A.B')
      const first = await uploadFile(scenario, named)
      // Open: which names are refused.
      const file = isContentRefusal(first) ? buildTextFile(session) : named
      const uploaded = file === named ? first : await uploadFile(scenario, file)
      if (isContentRefusal(uploaded) && profile.requests.upload?.part === undefined) {
        const reason =
          'a file in the part "file" was refused, without a chat and with one in the field "chat_id"; both names are guesses: set requests.upload in the target profile'
        return session.markUndecided('unproven', described, reason)
      }
      // Unsupported Media Type (RFC 9110, section 15.5.16): "any further upload rules: not shown".
      if (uploaded.response?.status === 415) {
        const reason =
          'a text file was refused with 415: set capabilities.attachments to false, or check a deployment that accepts text files'
        return session.markUndecided('unproven', described, reason)
      }
      const record = attachments.recordIn(uploaded, file.name)
      const listed = async () =>
        attachments.lists(await attachments.walk({ search: file.name }), file.name)
      // A success without content, for a file that is not listed, may come from any server.
      const isVisible = !succeeded(uploaded) || record !== undefined || (await listed())
      assume(isVisible, 'neither the answer to the upload nor the list shows the file', uploaded)
      claim('V3-ATT-01', () => expectAccepted(uploaded, 'POST /attachment'), uploaded)
      const missing =
        'the answer to the upload shows no attachment: set shapes.attachment in the target profile'
      assume(record, missing, uploaded)
      const shape = `POST /attachment: ${statusText(uploaded)} ${describeShape(uploaded)}`
      session.observe('OPEN-14', shape, [uploaded])
      claimRecord(claim, record, file, uploaded)

      // Open: whether another file of the same name is refused, replaces the first one, or gets its id.
      const other = { ...buildTextFile(session), name: file.name }
      const again = await uploadFile(scenario, other)
      const { id } = record
      const otherId = attachments.recordIn(again, file.name)?.['id']
      if (!succeeded(again) || typeof id !== 'string' || typeof otherId !== 'string') return
      const ids = [id, otherId]
      const list = await attachments.waitForListed({ search: file.name }, file.name, ids)
      const isListed = ids.map((one) => contains(list.body, one))
      if (record['filename'] === file.name && list.isWhole) {
        const isFound = attachments.lists(list, file.name)
        const byName = 'a search for the whole name shows the file'
        claim('V3-ATT-08', () => expect(isFound, byName).toBe(true), list, again)
      }
      if (!list.isWhole || otherId === id || isListed[0] !== true) return
      const what = 'the list shows two files of the same name'
      claim('V3-ATT-06', () => expect(isListed, what).toEqual([true, true]), list, again)
    },
  )
})
