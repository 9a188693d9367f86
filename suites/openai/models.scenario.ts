import { asObject } from '../../contract/index.ts'
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
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { secondCaller } from '../support/credentials.ts'
import { claimSteady } from '../support/refusals.ts'

/** Sections 2.1 and 4.1: the list of models, and the accepted ids of each model. */
describe('compatible surface: models', () => {
  test(
    'GET /models MUST list the models',
    covers(['OAI-MODELS-01', 'OAI-MODELS-04', 'OAI-MODELS-05'], { requests: 7 }),
    async ({ openai, claim, profile, session }) => {
      const list = await openai.models()
      const { main, aliases, vision } = profile.models
      const names = [main, ...aliases]
      // In any shape, an id that is found is a string; a judge reads the entries.
      const named = names.filter((id) => isNamed(list, id))
      const areStrings = expect(named, 'accepted ids that the list shows as strings')
      if (succeeded(list)) claim('OAI-MODELS-04', () => areStrings.not.toEqual([]), list)
      claim('OAI-MODELS-01', () => {
        expectAccepted(list)
        if (named.length > 0) {
          // If the document does not show the ids, only one of several may be listed.
          if (!profile.capabilities.images || vision !== 'SVC-Vision') return
          expect(isNamed(list, vision), `${vision} is listed`).toBe(true)
          return
        }
        const expected = `a list with ${names.join(' or ')}`
        throw new ContractViolation(`expected ${expected}, received ${describeAnswer(list)}`)
      })
      // The same every time; another caller may use fewer models, but not none.
      const other = secondCaller(profile)
      const ids = [...names, vision].filter((id) => isNamed(list, id))
      for (const options of [{}, {}, ...(other ? [other] : [])]) {
        // A refused request changes nothing.
        await openai.raw('{', { role: 'negative' })
        const again = await openai.models(options)
        if (!succeeded(list) || (options === other && !succeeded(again))) continue
        const missing = ids.filter((id) => !isNamed(again, id))
        if (options === other && missing.length < ids.length) continue
        const isSame = () => {
          expectAccepted(again, 'a further GET /models')
          expect(missing, 'models that a further list lacks').toEqual([])
        }
        claim('OAI-MODELS-01', isSame, again, list)
      }
      claimSteady(session, 'openai.models', 'OAI-MODELS-01')
      if (succeeded(list)) session.observe('OPEN-08', describeShape(list), [list])
    },
  )

  test(
    'GET /models/{id} SHOULD return that model',
    covers(['OAI-MODELS-06'], { requests: 2 }),
    async ({ openai, claim, profile }) => {
      const { main, aliases, vision } = profile.models
      const idOf = (model: Exchange) => asObject(bodyJson(model))?.['id']
      const model = await openai.model(main)
      assume(succeeded(model), `GET /models/${main} was answered ${statusText(model)}`, model)
      const accepted = [main, ...aliases]
      claim('OAI-MODELS-06', () =>
        expect(accepted, 'accepted ids of the model').toContain(idOf(model)),
      )
      const other = await openai.model(vision)
      if (!succeeded(other) || accepted.includes(vision)) return
      const isOther = () =>
        expect(accepted, `ids of another model than ${vision}`).not.toContain(idOf(other))
      claim('OAI-MODELS-06', isOther, other)
    },
  )
})

/** Tests if a list names a model, as a value or a field name: the document does not show its shape. */
function isNamed(list: Exchange, id: string): boolean {
  const body = answerJson(list)
  return contains(body, id) || hasMember(body, [id])
}
