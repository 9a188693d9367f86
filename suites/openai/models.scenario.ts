import {
  answerJson,
  assume,
  bodyJson,
  ContractViolation,
  contains,
  covers,
  describe,
  describeAnswer,
  describeShape,
  type Exchange,
  expect,
  expectAccepted,
  hasMember,
  isObject,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { modelAliases } from '../support/test-data.ts'

/** Sections 2.1 and 4.1: the list of models, and the ids that a model answers to. */
describe('compatible surface: models', () => {
  test(
    'GET /models lists the models',
    covers(['OAI-MODELS-01', 'OAI-MODELS-04', 'OAI-MODELS-05'], { requests: 1 }),
    async ({ openai, claim, profile, session }) => {
      const list = await openai.models()
      const { main, aliases, vision } = profile.models
      const names = [main, ...aliases]
      claim('OAI-MODELS-01', () => {
        expectAccepted(list)
        if (names.some((id) => isNamed(list, id))) {
          // Of ids that the document does not show, one of several may be listed.
          if (!profile.capabilities.images || vision !== 'SVC-Vision') return
          expect(isNamed(list, vision), `${vision} is listed`).toBe(true)
          return
        }
        const expected = `a list with ${names.join(' or ')}`
        throw new ContractViolation(`expected ${expected}, received ${describeAnswer(list)}`)
      })
      if (succeeded(list)) session.observe('OPEN-08', describeShape(list), [list])
    },
  )

  test(
    'GET /models/{id} returns that model',
    covers(['OAI-MODELS-06'], { requests: 2 }),
    async ({ openai, claim, profile }) => {
      const { main, aliases, vision } = profile.models
      const idOf = (model: Exchange) => {
        const body = bodyJson(model)
        return isObject(body) ? body['id'] : undefined
      }
      const model = await openai.model(main)
      assume(succeeded(model), `GET /models/${main} was answered ${statusText(model)}`, model)
      const accepted = [main, ...aliases]
      claim('OAI-MODELS-06', () =>
        expect(accepted, 'accepted ids of the model').toContain(idOf(model)),
      )
      const other = await openai.model(vision)
      if (!succeeded(other) || accepted.includes(vision)) return
      claim(
        'OAI-MODELS-06',
        () => expect(accepted, `ids of another model than ${vision}`).not.toContain(idOf(other)),
        other,
      )
    },
  )

  test(
    'every accepted id of the main model works on the compatible surface',
    covers(['OAI-MODELS-02'], { requests: 2, generations: 2 }),
    async ({ openai, claim, profile, session, prompts }) => {
      for (const model of modelAliases(profile)) {
        const answer = await openai.chat(
          openai.chatBody(prompts.brief(), { max_tokens: 16, model }),
        )
        claim('OAI-MODELS-02', () => expectAccepted(answer, `a request with the model ${model}`))
        const streamed = await openai.chat(
          openai.chatBody(prompts.brief(), { max_tokens: 16, model, stream: true }),
        )
        claim(
          'OAI-MODELS-02',
          () => expectAccepted(streamed, `a request with the model ${model} (stream)`),
          streamed,
        )
        const body = bodyJson(answer)
        const echoed =
          typeof body === 'object' && body !== null && 'model' in body ? body.model : '?'
        if (succeeded(answer))
          session.observe('OPEN-33', `${model} is echoed as ${echoed}`, [answer])
      }
    },
  )

  test(
    'the vision model works on the compatible surface',
    covers(['OAI-MODELS-03'], { requests: 1, generations: 1 }),
    async ({ openai, claim, profile, prompts }) => {
      const { vision } = profile.models
      const answer = await openai.chat(
        openai.chatBody(prompts.brief(), { max_tokens: 16, model: vision }),
      )
      claim('OAI-MODELS-03', () => expectAccepted(answer, `a request with the model ${vision}`))
    },
  )
})

/** Tests if a list names a model, as a value or as the name of a member: its shape is not shown. */
function isNamed(list: Exchange, id: string): boolean {
  const body = answerJson(list)
  return contains(body, id) || hasMember(body, [id])
}
