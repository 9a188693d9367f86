import {
  assume,
  covers,
  describe,
  describeShape,
  expect,
  finalResponse,
  isObject,
  requireProfile,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { claimTurnKept } from '../support/history.ts'
import { claimNoStep } from '../support/refusals.ts'
import { describeForm, formsOf } from '../support/test-data.ts'

/** Sections 4.3 and 8: include_tools and exclude_tools. */
describe('v3: tool lists', () => {
  test(
    'both tool lists at once MUST be refused, and MUST NOT leave anything behind',
    covers(['V3-TOOLS-01', 'V3-GEN-13', 'V3-GEN-14', 'V3-HIST-07'], {
      requests: 18,
      generations: 2,
      chats: 2,
    }),
    async ({ v3, claim, expectRejected, session, profile, prompts }) => {
      const lists = { exclude_tools: ['get_weather'], include_tools: ['get_time'] }
      for (const form of formsOf(profile)) {
        const chat = await v3.createChat()
        const [nonce, kept] = [session.nonce(), session.nonce()]
        const control = await v3.generate(
          v3.generateBody(chat, prompts.brief(kept), {
            ...form,
            exclude_tools: lists.exclude_tools,
          }),
          { role: 'control' },
        )
        const refused = await expectRejected({
          requirement: 'V3-TOOLS-01',
          noServerError: 'V3-GEN-13',
          control,
          what: `include_tools and exclude_tools${describeForm(form)}`,
          send: () =>
            v3.generate(v3.generateBody(chat, prompts.brief(nonce), { ...form, ...lists }), {
              role: 'negative',
            }),
          ping: () => v3.ping(chat),
        })
        session.observe('OPEN-21', `${refused.response?.status} ${describeShape(refused)}`, [
          refused,
        ])
        session.observe('OPEN-39', describeShape(refused), [refused])
        await claimNoStep({ v3, claim }, chat, nonce, refused)
        if (succeeded(control)) await claimTurnKept({ v3, claim }, chat, kept, control)
      }
    },
  )

  test(
    'an excluded tool MUST NOT be used, nor one outside include_tools',
    covers(['V3-TOOLS-02', 'V3-TOOLS-03'], { requests: 15, generations: 5, chats: 5 }),
    async ({ v3, claim, profile }) => {
      const { name, ask, search } = profile.tools ?? {}
      requireProfile(name, 'tools.name')
      requireProfile(ask, 'tools.ask')
      const able = await v3.generateOk(v3.generateBody(await v3.createChat(), ask))
      assume(calls(able).includes(name), `asked for it, the model did not use ${name}`, able)

      const others = search ?? 'file_search'
      for (const [requirement, restriction] of [
        ['V3-TOOLS-02', { exclude_tools: [name], stream: false }],
        ['V3-TOOLS-02', { exclude_tools: [name], stream: true }],
        ['V3-TOOLS-03', { include_tools: [others], stream: false }],
        ['V3-TOOLS-03', { include_tools: [others], stream: true }],
      ] as const) {
        const body = v3.generateBody(await v3.createChat(), ask, restriction)
        const reply = await v3.generateOk(body, { role: 'act' })
        const unused = () => expect(calls(reply), 'tools that were used').not.toContain(name)
        claim(requirement, unused, reply, able)
      }
    },
  )
})

/** Names of the functions that a response calls. */
function calls(reply: Parameters<typeof finalResponse>[0]): unknown[] {
  const output = finalResponse(reply)?.['output']
  return Array.isArray(output) ? output.filter(isObject).map((item) => item['name']) : []
}
