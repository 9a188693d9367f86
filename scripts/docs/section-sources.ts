import { readdirSync, readFileSync } from 'node:fs'
import { conditions, type LawfulOperation, requirementsUnder } from '../../contract/conditions.ts'
import { requirementIds, requirements } from '../../contract/index.ts'
import type { SectionSources } from '../../reports/catalog/interface-pages.ts'

const root = new URL('../../', import.meta.url)

/** Finds the files that declare and test the requirements of a section, by the ids that they name. */
export function sectionSources(): (section: string) => SectionSources {
  const [suites, judges, catalog] = [
    idsByFile('suites', '.scenario.ts'),
    idsByFile('harness/judges', '.ts'),
    idsByFile('contract/catalog', '.ts'),
  ]
  return (section) => {
    const own = requirementIds.filter((id) => requirements[id].section === section)
    const naming = (files: ReadonlyMap<string, ReadonlySet<string>>) =>
      [...files].filter(([, ids]) => own.some((id) => ids.has(id))).map(([path]) => path)
    const folders = naming(judges).map((path) => path.slice(0, path.lastIndexOf('/')))
    return {
      suites: naming(suites),
      judges: [...new Set(folders)],
      catalog: naming(catalog),
    }
  }
}

/**
 * Ids of requirements that each file names, alone, as an area: `requirementsOf('OAI-STREAM')`, or by the conditions of
 * an operation: `requirementsOfLaws('openai.chat')`.
 */
function idsByFile(folder: string, ending: string): ReadonlyMap<string, ReadonlySet<string>> {
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
  const paths = names
    .filter((name) => name.endsWith(ending) && !/\.test\.ts$|test-support\//.test(name))
    .map((name) => `${folder}/${name}`)
    .toSorted()
  return new Map(paths.map((path) => [path, idsIn(readFileSync(new URL(path, root), 'utf8'))]))
}

function idsIn(text: string): ReadonlySet<string> {
  // A dependency of another requirement is not a test.
  const source = text.replaceAll(/needs: \[[^\]]*\]/g, '')
  const areas = [...source.matchAll(/requirementsOf\(\s*'([A-Z0-9-]+)'/g)].map(([, area]) => area)
  const ofLaws = Object.keys(conditions)
    .filter((operation) => new RegExp(`requirementsOfLaws\\(\\s*'${operation}'`).test(source))
    .flatMap((operation) => requirementsUnder(operation as LawfulOperation))
  return new Set(
    requirementIds.filter(
      (id) =>
        source.includes(`'${id}'`) ||
        areas.some((area) => id.startsWith(`${area}-`)) ||
        ofLaws.includes(id),
    ),
  )
}
