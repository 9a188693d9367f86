/** Has the conversation in a process of its own, which never loads a deviation, and tells of both. */
import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  load: (url, context, nextLoad) => {
    loaded.push(url)
    return nextLoad(url, context)
  },
})
const { rawConversation } = await import('./conversation.ts')
const answers = await rawConversation()
process.send?.({ answers, loaded }, () => process.disconnect())
