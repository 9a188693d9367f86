/** Runs a module with the given arguments and writes the names of the packages that it loads, as JSON. */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const [file = '', result = '', ...args] = process.argv.slice(2)
const loaded = new Set<string>()
registerHooks({
  load: (url, context, nextLoad) => {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1]
    if (name !== undefined) loaded.add(name)
    return nextLoad(url, context)
  },
})
process.on('exit', () => writeFileSync(result, JSON.stringify([...loaded].toSorted())))
process.argv = [process.execPath, file, ...args]
await import(pathToFileURL(file).href)
