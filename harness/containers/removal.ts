import type { Engine } from './engine.ts'
import { runLabel, stateOfRun } from './owner.ts'

type Api = Engine['api']

/** Label by which Compose marks containers, networks and volumes of a project. */
export const projectLabel = 'com.docker.compose.project'

export interface Leftovers {
  /** Runs whose process has ended without removing what it started: it was killed. */
  readonly ended: readonly string[]
  /** Runs of processes on other machines, which may be going on. */
  readonly elsewhere: readonly string[]
}

/** Runs that have containers, networks or volumes, by the state of their process. */
export async function leftoversOf(api: Api): Promise<Leftovers> {
  const names = [...new Set((await labelled(api)).flatMap(namesIn))]
  return {
    ended: names.filter((name) => stateOfRun(name) === 'ended'),
    elsewhere: names.filter((name) => stateOfRun(name) === 'elsewhere'),
  }
}

/** Removes all containers, networks and volumes of a run. */
export async function removeRun(api: Api, name: string): Promise<void> {
  for (const label of [`${runLabel}=${name}`, `${projectLabel}=${name}`]) {
    const filters = { label: [label] }
    for (const { Id } of await api.listContainers({ all: true, filters })) {
      await unlessGone(() => api.getContainer(Id).remove({ force: true, v: true }))
    }
    for (const { Id } of await api.listNetworks({ filters })) {
      await unlessGone(() => api.getNetwork(Id).remove())
    }
    for (const { Name } of (await api.listVolumes({ filters })).Volumes ?? []) {
      await unlessGone(() => api.getVolume(Name).remove({ force: true }))
    }
  }
}

type Labels = Readonly<Record<string, string>> | null | undefined

async function labelled(api: Api): Promise<readonly Labels[]> {
  const found: Labels[] = []
  for (const label of [runLabel, projectLabel]) {
    const filters = { label: [label] }
    found.push(
      ...(await api.listContainers({ all: true, filters })).map(({ Labels }) => Labels),
      ...(await api.listNetworks({ filters })).map(({ Labels }) => Labels),
      ...((await api.listVolumes({ filters })).Volumes ?? []).map(({ Labels }) => Labels),
    )
  }
  return found
}

function namesIn(labels: Labels): readonly string[] {
  return [labels?.[runLabel], labels?.[projectLabel]].flatMap((name) =>
    name !== undefined && stateOfRun(name) !== undefined ? [name] : [],
  )
}

/** 404: gone already; 409: another process is removing it. */
async function unlessGone(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    const status = error instanceof Error && 'statusCode' in error ? error.statusCode : null
    if (status !== 404 && status !== 409) throw error
  }
}
