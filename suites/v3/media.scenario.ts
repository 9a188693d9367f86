import {
  covers,
  describe,
  expectResponse,
  fill,
  isDeclined,
  test,
} from '../../harness/conformance/scenario/index.ts'

/** Sections 2.1 and 4.3: images and video in the input, and the model that is made for them. */
describe('v3: media', () => {
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
    'an input MAY carry a video',
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
})
