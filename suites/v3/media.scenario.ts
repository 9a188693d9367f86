import {
  contains,
  covers,
  describe,
  everyItemShown,
  expect,
  expectAccepted,
  expectResponse,
  fill,
  type HistoryRow,
  inputRows,
  isDeclined,
  isObject,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { claimTurnKept } from '../support/history.ts'

/** Sections 2.1 and 4.3: images and video in the input, and the model that is made for them. */
describe('v3: media', () => {
  /** One red pixel. */
  const image =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
  /** The head of an MP4 file, without a frame. */
  const video = 'data:video/mp4;base64,AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDE='

  const ask = (text: string, part: object) => [
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text }, part],
    },
  ]

  test(
    'input may carry an image',
    covers(['V3-GEN-07', 'V3-HIST-07'], { requests: 5, generations: 1, chats: 1 }),
    async ({ v3, claim, profile, prompts }) => {
      const chat = await v3.createChat()
      const input = ask(prompts.picture(), {
        type: 'input_image',
        image_url: image,
        detail: 'auto',
      })
      const reply = await v3.generate(
        v3.generateBody(chat, input, { model_id: profile.models.vision }),
      )
      const taken = () => expectResponse(reply, 'a generation with an image')
      if (!claim('V3-GEN-07', taken, reply)) return
      const { rows, pages } = await v3.waitForHistory(chat, holdsImage)
      if (!everyItemShown(rows)) return
      claim(
        'V3-HIST-07',
        () => expect(contains(rows, prompts.picture()), 'the history contains the text').toBe(true),
        reply,
        ...pages,
      )
      // Content that is no array of parts is for another row.
      if (!inputRows(rows).some(hasParts)) return
      claim(
        'V3-HIST-07',
        () => expect(holdsImage(rows), 'the history contains the image of the input').toBe(true),
        reply,
        ...pages,
      )
    },
  )

  test(
    'input may carry a video',
    covers(['V3-GEN-08'], { requests: 3, generations: 1, chats: 1 }),
    async ({ v3, claim, profile, session, prompts }) => {
      const chat = await v3.createChat()
      // Of the parts, the document shows input_text and input_image only.
      const guess = { type: 'input_video', video_url: '{url}' }
      const input = ask(prompts.picture(), fill(profile.requests.video ?? guess, { url: video }))
      const reply = await v3.generate(
        v3.generateBody(chat, input, { model_id: profile.models.vision }),
      )
      if (isDeclined(reply) && profile.requests.video === undefined) {
        session.markUndecided(
          'unproven',
          ['V3-GEN-08'],
          'our guess at the part of a video was rejected: set requests.video in the target profile',
        )
        return
      }
      claim('V3-GEN-08', () => expectResponse(reply, 'a generation with a video'), reply)
    },
  )

  test(
    'the vision model works on v3',
    covers(['V3-MODEL-02', 'V3-HIST-07'], { requests: 5, generations: 1, chats: 1 }),
    async ({ v3, claim, session, profile, prompts }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      const reply = await v3.generate(
        v3.generateBody(chat, prompts.brief(nonce), {
          model_id: profile.models.vision,
          // As a one-shot it answers in one piece.
          stream: true,
        }),
      )
      const works = () => expectAccepted(reply, 'the vision model')
      if (claim('V3-MODEL-02', works, reply)) {
        await claimTurnKept({ v3, claim }, chat, nonce, reply)
      }
    },
  )
})

function hasParts({ item }: HistoryRow): boolean {
  return isObject(item) && Array.isArray(item['content'])
}

function holdsImage(rows: readonly HistoryRow[]): boolean {
  return inputRows(rows).some(({ item }) => {
    const content = isObject(item) && Array.isArray(item['content']) ? item['content'] : []
    return content.some((part) => isObject(part) && part['type'] === 'input_image')
  })
}
